// Messages that a person has sent and no server has confirmed. A message keeps its id through every retry and reload,
// so the server recognises a repeat (C2).
import type { Attachment } from "../../events/catalogue/lifecycle.ts";
import type { Outcome } from "../../events/commands.ts";
import type { Api } from "../api.ts";
import { ApiFailure, toApiFailure } from "../api-failure.ts";
import { delayOf, pause, type Backoff } from "../backoff.ts";
import { immediately, createListeners } from "../listeners.ts";
import type { OutboxStore } from "./outbox-store.ts";
import type { Uploads } from "./uploads.ts";

/** A file of a message: on the server when it has a hash, and otherwise only in the page it was added to. */
export type OutgoingFile = {
  readonly fileId: string;
  readonly name: string;
  readonly bytes: number;
  readonly media_type: string;
  readonly sha256?: string;
};
export type OutgoingMessage = {
  readonly messageId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly model?: string;
  readonly files?: readonly OutgoingFile[];
  /** The running run it should wait behind or reach; null starts a run. */
  readonly target: { readonly runId: string; readonly mode: "queue" | "steer" } | null;
};
export type OutboxEntry = OutgoingMessage & {
  readonly status: "uploading" | "sending" | "waiting" | "sent" | "refused";
  readonly problem: string | null;
};
export type Outbox = {
  readonly uploads: Uploads;
  readonly getState: () => readonly OutboxEntry[];
  readonly subscribe: (listener: () => void) => () => void;
  readonly add: (message: OutgoingMessage) => void;
  readonly discard: (messageId: string) => void;
  /** Out of here and back to its writer, files and all. Undefined: it is gone, or on its way. */
  readonly takeBack: (messageId: string) => OutgoingMessage | undefined;
  readonly retryNow: () => void;
  readonly close: () => void;
  readonly closed: Promise<void>;
};
export type OutboxOptions = {
  readonly api: Pick<Api, "startRun" | "sendMessage">;
  readonly uploads: Uploads;
  readonly store: OutboxStore;
  readonly random?: () => number;
  readonly backoff?: Backoff;
};

const BACKOFF: Backoff = { minMs: 250, maxMs: 5_000 };

export function openOutbox(options: OutboxOptions): Outbox {
  return new PersistentOutbox(options);
}

class PersistentOutbox implements Outbox {
  readonly closed: Promise<void>;
  readonly uploads: Uploads;
  readonly #options: OutboxOptions;
  readonly #stop = new AbortController();
  readonly #listeners = createListeners(immediately);
  readonly #lanes = new Map<string, Promise<void>>(); // of sessions with something to send
  readonly #handled = new Set<string>(); // by another page
  #wake = new AbortController();
  #entries: readonly OutboxEntry[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.uploads = options.uploads;
    this.closed = pause(null, this.#stop.signal).then(async () => {
      await Promise.all(this.#lanes.values());
    });
    const news = { adopt: this.#adopt, removed: this.#removed };
    options.store.follow(news, this.#stop.signal);
  }

  readonly getState = () => this.#entries;
  readonly subscribe = (listener: () => void) => this.#listeners.subscribe(listener);
  readonly close = () => this.#stop.abort();

  readonly retryNow = () => {
    this.#wake.abort();
    this.#wake = new AbortController();
  };

  readonly add = (message: OutgoingMessage) => {
    this.#change([...this.#entries, waiting(message)]);
    this.retryNow();
    this.#go(message.sessionId);
  };

  /** Written before anything here, so first. */
  readonly #adopt = (messages: readonly OutgoingMessage[]) => {
    this.#change([...messages.map(waiting), ...this.#entries]);
    for (const { sessionId } of messages) this.#go(sessionId);
  };

  /** Neither sent again nor shown as unsent; one that is on its way will be told that it was known. */
  readonly #removed = (messageId: string) => {
    this.#handled.add(messageId);
    const entry = this.#entries.find((known) => known.messageId === messageId);
    if (entry && entry.status !== "sending" && entry.status !== "sent") this.discard(messageId);
  };

  readonly discard = (messageId: string) => {
    this.#letGo(messageId);
    this.#change(this.#entries.filter((entry) => entry.messageId !== messageId));
  };

  readonly takeBack = (messageId: string) => {
    const entry = this.#entries.find((known) => known.messageId === messageId);
    if (!entry || entry.status === "sending" || entry.status === "sent") return undefined;
    this.#change(this.#entries.filter((known) => known !== entry));
    return toMessage(entry);
  };

  #go(sessionId: string): void {
    if (this.#lanes.has(sessionId)) return;
    this.#lanes.set(
      sessionId,
      Promise.resolve().then(() => this.#run(sessionId)),
    );
  }

  /**
   * In a session one at a time and in order: the second message must not overtake the first. Another
   * session waits for none of them.
   */
  async #run(sessionId: string): Promise<void> {
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const next = this.#entries.find(
        (entry) => entry.sessionId === sessionId && entry.status === "waiting",
      );
      if (!next) break;
      this.#update(next.messageId, { status: "sending" });
      const problem = await this.#send(next);
      failures = problem ? failures + 1 : 0;
      if (!problem) continue;
      if (this.#handled.has(next.messageId)) this.discard(next.messageId);
      this.#update(next.messageId, { status: "waiting", problem });
      const { backoff = BACKOFF, random = Math.random } = this.#options;
      await this.#rest(delayOf(backoff, failures, random));
    }
    this.#lanes.delete(sessionId); // in the same breath: what is added next begins another
  }

  /** Undefined when the message was answered, whatever the answer; otherwise why to try again. */
  async #send(message: OutboxEntry): Promise<string | undefined> {
    try {
      const attachments = await this.#uploaded(message);
      const outgoing = { ...message, attachments };
      const outcome = await deliver(this.#options.api, outgoing, this.#stop.signal);
      const change = outcome.accepted
        ? ({ status: "sent", problem: null } as const)
        : ({ status: "refused", problem: outcome.safe_message } as const);
      this.#update(message.messageId, change);
      if (outcome.accepted) this.#letGo(message.messageId);
      return undefined;
    } catch (error) {
      const failure = toApiFailure(error);
      if (failure.retryable || failure.status === 401) return failure.message;
      this.#update(message.messageId, { status: "refused", problem: failure.message });
      return undefined;
    }
  }

  /** What the server has of a message is remembered at once: a reload must not ask for it again. */
  async #uploaded({ messageId, files = [] }: OutboxEntry): Promise<Attachment[]> {
    const known = [...files];
    const gone = new AbortController(); // of a discarded message nothing is waited for
    const unsubscribe = this.subscribe(() => {
      if (!this.#entries.some((entry) => entry.messageId === messageId)) gone.abort();
    });
    try {
      for (const [at, file] of files.entries()) {
        if (file.sha256 !== undefined) continue;
        this.#update(messageId, { status: "uploading" });
        const signal = AbortSignal.any([this.#stop.signal, gone.signal]);
        const { sha256, media_type, bytes } = await this.uploads
          .whenDone(file.fileId, signal)
          .catch((error: unknown) => {
            throw fileFailure(file, error);
          });
        known[at] = { ...file, sha256, media_type, bytes };
        this.#update(messageId, { files: [...known] });
      }
    } finally {
      unsubscribe();
    }
    this.#update(messageId, { status: "sending" });
    return known.map(attachmentOf);
  }

  async #rest(ms: number): Promise<void> {
    await pause(ms, AbortSignal.any([this.#stop.signal, this.#wake.signal]));
  }

  /** The bytes of its files are needed no more. */
  #letGo(messageId: string): void {
    const entry = this.#entries.find((known) => known.messageId === messageId);
    for (const { fileId } of entry?.files ?? []) this.uploads.drop(fileId);
  }

  #update(messageId: string, change: Partial<OutboxEntry>): void {
    this.#change(
      this.#entries.map((entry) =>
        entry.messageId === messageId ? { ...entry, ...change } : entry,
      ),
    );
  }

  #change(entries: readonly OutboxEntry[]): void {
    this.#entries = entries;
    this.#options.store.save(entries.filter(({ status }) => status !== "sent").map(toMessage));
    this.#listeners.notify();
  }
}

type Deliverable = OutgoingMessage & { readonly attachments: Attachment[] };

function attachmentOf({ name, media_type, bytes, sha256 }: OutgoingFile): Attachment {
  return { name, media_type, bytes, ...(sha256 !== undefined && { sha256 }) };
}

function fileFailure({ name }: OutgoingFile, error: unknown): unknown {
  if (!(error instanceof ApiFailure) || error.retryable) return error;
  const lost = error.code === "file_lost";
  const message = lost
    ? `“${name}” was not uploaded before the page was reloaded or closed. Add the file again.`
    : `“${name}” could not be uploaded: ${error.message}`;
  return new ApiFailure({ code: error.code, status: error.status, message });
}

/** A run that ended in the meantime cannot be reached any more: the message starts the next one. */
async function deliver(
  api: OutboxOptions["api"],
  { messageId, sessionId, text, model, target, attachments }: Deliverable,
  signal: AbortSignal,
): Promise<Outcome> {
  const said = {
    message: text,
    message_id: messageId,
    ...(attachments.length > 0 && { attachments }),
  };
  if (target) {
    const command = { ...said, mode: target.mode };
    const outcome = await api.sendMessage(target.runId, command, signal);
    if (outcome.status !== "not_active") return outcome;
  }
  const start = { ...said, session_id: sessionId, source: "web" };
  return api.startRun({ ...start, ...(model !== undefined && { model }) }, signal);
}

function waiting(message: OutgoingMessage): OutboxEntry {
  return { ...message, status: "waiting", problem: null };
}

function toMessage({ status: _status, problem: _problem, ...message }: OutboxEntry) {
  return message satisfies OutgoingMessage;
}
