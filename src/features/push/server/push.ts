// Notifies browsers when something needs a person or a run is over. Notifications are derived from the journal, so
// the next server sends what a killed one had not started. Each is claimed before it is sent, so that two servers do
// not send it twice; one killed in between loses it (the inbox still has it).
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { Push, PushSubscription } from "../store/push-journal.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";

declare module "../../../kernel/server/app.ts" {
  interface AppDeps {
    /** Notifications of browsers; none when left out. */
    push?: PushService;
  }
}

/** What the service worker shows. */
export type Notification = {
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly tag: string;
};
/** `gone`: the browser no longer wants any, or never did. */
export type Sent =
  | { readonly ok: true }
  | { readonly ok: false; readonly gone: boolean; readonly problem: string };

export type PushService = {
  readonly publicKey: () => Promise<string>;
  /** Throws why such an address is never sent to. */
  readonly check: (endpoint: string) => Promise<void>;
  readonly send: (to: PushSubscription, notification: Notification) => Promise<Sent>;
};

export type PushOptions = {
  readonly journal: Journal;
  readonly store: Push;
  readonly service: PushService;
  readonly logError: (error: unknown) => void;
  readonly now: () => number; // seconds
};

export type Notifier = { readonly stop: () => void };

const GATHER_MS = 500; // a request answered at once by a rule is nobody's business
const RECENT_SECONDS = 600; // what ended earlier is no news
const ENDINGS: Readonly<Record<string, string>> = {
  completed: "Done",
  failed: "Failed",
  expired: "Expired",
};

export function startNotifier(options: PushOptions): Notifier {
  const { journal, store, logError } = options;
  const emitted = new Set<string>(); // by anyone; asked once
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const look = async () => {
    const subscriptions = await store.pushSubscriptions();
    if (subscriptions.length === 0) return;
    for (const { key, notification } of await news(options)) {
      if (emitted.has(key) || stopped) continue;
      const isOurs = await store.claimPush(key); // where it cannot be claimed now, it is told later
      emitted.add(key);
      if (!isOurs) continue;
      const problems = await emitAll(options, subscriptions, notification);
      if (problems.length === 0) continue;
      logError(new Error(`A notification did not reach every browser: ${problems.join(" ")}`));
    }
  };
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      look().catch(logError);
    }, GATHER_MS).unref();
  };
  soon(); // what happened while no server was there to tell
  const unwatch = journal.watch(soon);
  return {
    stop() {
      stopped = true;
      unwatch();
      clearTimeout(timer);
    },
  };
}

type News = { readonly key: string; readonly notification: Notification };

async function news({ journal, store, now }: PushOptions): Promise<readonly News[]> {
  const waiting = (await journal.reads.pending({})).map(({ request_id, title, session_id }) => ({
    key: `request ${request_id}`,
    notification: {
      title: "Needs you",
      body: visibleLine(title).slice(0, 200),
      url: `/approve/${encodeURIComponent(request_id)}`,
      tag: session_id,
    },
  }));
  const ended = (await store.endedRuns(now() - RECENT_SECONDS)).flatMap((run) => {
    const title = ENDINGS[run.status]; // who stopped it knows
    if (title === undefined) return [];
    const body = visibleLine(run.title).slice(0, 200) || "Untitled session";
    const url = `/s/${encodeURIComponent(run.session_id)}/r/${encodeURIComponent(run.run_id)}`;
    return [
      { key: `ended ${run.run_id}`, notification: { title, body, url, tag: run.session_id } },
    ];
  });
  return [...waiting, ...ended];
}

/** The problems, one per browser that could not be told. */
export async function emitAll(
  { store, service }: Pick<PushOptions, "store" | "service">,
  subscriptions: readonly PushSubscription[],
  notification: Notification,
): Promise<readonly string[]> {
  const answers = await Promise.all(
    subscriptions.map(async (to) => {
      const sent = await service.send(to, notification);
      if (sent.ok) return [];
      if (sent.gone) await store.removePush(to.endpoint);
      return [sent.problem];
    }),
  );
  return answers.flat();
}
