// Keeps unsent messages in storage that all pages of a browser share. A message belongs to one page while that page
// lives, because only that page has the bytes of its files; then the next page takes it over.
import { pause } from "../backoff.ts";
import type { OutgoingMessage } from "./outbox.ts";

/** `localStorage`, which forgets when it must: what is set may not be there. */
export type SharedMemory = {
  readonly get: (key: string) => string | null;
  readonly set: (key: string, value: string | null) => void;
  readonly keys: () => readonly string[];
  /** What other pages set; null: removed. */
  readonly onChange: (listener: (key: string, value: string | null) => void) => () => void;
};
/** `navigator.locks`: what a page holds is free when the page is gone, however it went. */
export type PageLocks = {
  request<Given>(
    name: string,
    options: { ifAvailable?: boolean; signal?: AbortSignal },
    held: (lock: unknown) => Given | Promise<Given>,
  ): Promise<Given>;
};
export type StoreEvents = {
  /** Of pages that are gone: from here on they are this page's. */
  readonly adopt: (messages: readonly OutgoingMessage[]) => void;
  /** Another page sent it, or took it back. */
  readonly removed: (messageId: string) => void;
};
export type OutboxStore = {
  readonly save: (messages: readonly OutgoingMessage[]) => void;
  readonly follow: (news: StoreEvents, signal: AbortSignal) => void;
};
export type OutboxStoreOptions = {
  readonly memory: SharedMemory;
  /** Undefined where the browser has none, as without HTTPS. */
  readonly locks: PageLocks | undefined;
  readonly pageId: string;
  readonly now?: () => number;
  /** How long a page that was reloaded has to take up its own messages before others do. */
  readonly graceMs?: number;
};

type Stored = OutgoingMessage & { readonly page?: string; readonly at?: number };

const PREFIX = "quarterdeck.outbox.";
const PAGE = "quarterdeck.page.";
const GRACE_MS = 3_000;
const ALIVE_MS = 10 * 60_000; // where nobody can tell who lives

export function outboxStore(options: OutboxStoreOptions): OutboxStore {
  const { memory, pageId, now = Date.now } = options;
  const saved = new Map<string, { readonly at: number; readonly text: string }>();
  let last = 0;

  const write = (message: OutgoingMessage, at: number) => {
    const text = JSON.stringify({ ...message, page: pageId, at } satisfies Stored);
    saved.set(message.messageId, { at, text });
    memory.set(PREFIX + message.messageId, text);
  };
  const saveOne = (message: OutgoingMessage) => {
    const known = saved.get(message.messageId);
    if (!known) return write(message, (last = Math.max(last + 1, now())));
    const { at } = known;
    const isSame = known.text === JSON.stringify({ ...message, page: pageId, at });
    // Gone, or another page's by now: written again it would come back after it was sent.
    if (!isSame && memory.get(PREFIX + message.messageId) === known.text) write(message, at);
  };
  const remove = (messageId: string) => {
    saved.delete(messageId);
    memory.set(PREFIX + messageId, null);
  };
  const others = () =>
    memory
      .keys()
      .filter((key) => key.startsWith(PREFIX))
      .flatMap((key) => parsed(memory.get(key)) ?? [])
      .filter(({ page }) => page !== pageId)
      .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const take = (messages: readonly Stored[]): OutgoingMessage[] =>
    messages.map(({ page: _page, at, ...message }) => {
      write(message, at ?? 0);
      return message;
    });

  return {
    save(messages) {
      const kept = new Set(messages.map(({ messageId }) => messageId));
      for (const id of saved.keys()) if (!kept.has(id)) remove(id);
      messages.forEach(saveOne);
    },
    follow(news, signal) {
      const adopt = (isOurs: (message: Stored) => boolean) => {
        if (signal.aborted) return;
        const taken = take(others().filter(isOurs));
        if (taken.length > 0) news.adopt(taken);
      };
      const heirs = options.locks && inherit(options, options.locks, { adopt, others, signal });
      const stop = memory.onChange((key, value) => {
        if (!key.startsWith(PREFIX)) return;
        if (value === null) news.removed(key.slice(PREFIX.length));
        else heirs?.look();
      });
      signal.addEventListener("abort", stop);
      if (heirs) return heirs.begin(() => adopt(isAbandoned(now())));
      adopt(isAbandoned(now()));
    },
  };
}

/** Without locks: a message that needs no page may be sent by two of them, it has one id. */
const isAbandoned = (now: number) => (message: Stored) =>
  message.page === undefined ||
  !(message.files ?? []).some(({ sha256 }) => sha256 === undefined) ||
  now - (message.at ?? 0) > ALIVE_MS;

type Estate = {
  readonly adopt: (isOurs: (message: Stored) => boolean) => void;
  readonly others: () => readonly Stored[];
  readonly signal: AbortSignal;
};

/** Each page holds the lock of its name as long as it lives; whoever gets that of another has its messages. */
function inherit(
  { pageId, graceMs = GRACE_MS }: OutboxStoreOptions,
  locks: PageLocks,
  { adopt, others, signal }: Estate,
) {
  const watched = new Set<string>([pageId]);
  const watch = async (page: string) => {
    const name = PAGE + page;
    const takeAll = () => adopt((message) => message.page === page);
    const isGone = await locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock) takeAll();
      return lock !== null;
    });
    if (isGone) return;
    await locks.request(name, { signal }, () => {});
    await pause(graceMs, signal);
    await locks.request(name, { signal }, takeAll);
  };
  const look = () => {
    for (const { page } of others()) {
      if (page === undefined || watched.has(page)) continue;
      watched.add(page);
      watch(page)
        .catch(() => {}) // this page is over
        .finally(() => watched.delete(page));
    }
  };
  return {
    look,
    begin(withoutLocks: () => void) {
      // Adopted only by a page that lives: another would take them at once.
      const live = () => {
        adopt(({ page }) => page === undefined);
        look();
        return pause(null, signal);
      };
      locks.request(PAGE + pageId, {}, live).catch(withoutLocks);
    },
  };
}

function parsed(text: string | null): Stored | undefined {
  try {
    const value = JSON.parse(text ?? "") as Stored | null;
    return typeof value?.messageId === "string" ? value : undefined;
  } catch {
    return undefined; // written by something else
  }
}
