// Messages a person has sent and no server has answered yet. Each has its message id from the moment it
// was written and keeps it through every retry and reload, so the server can tell a repeat (rule C2).
import type { Outcome } from "../protocol/commands.ts";
import type { Api } from "./api.ts";
import { toApiFailure } from "./api-failure.ts";
import { delayOf, pause, type Backoff } from "./backoff.ts";
import { atOnce, createListeners } from "./listeners.ts";

export type OutgoingMessage = {
  readonly messageId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly model?: string;
  /** The running run it should wait behind or reach; null starts a run. */
  readonly target: { readonly runId: string; readonly mode: "queue" | "steer" } | null;
};
export type OutboxEntry = OutgoingMessage & {
  readonly status: "sending" | "waiting" | "sent" | "refused";
  readonly problem: string | null;
};
export type Outbox = {
  readonly getState: () => readonly OutboxEntry[];
  readonly subscribe: (listener: () => void) => () => void;
  readonly add: (message: OutgoingMessage) => void;
  readonly discard: (messageId: string) => void;
  readonly retryNow: () => void;
  readonly close: () => void;
  readonly closed: Promise<void>;
};
export type OutboxOptions = {
  readonly api: Pick<Api, "startRun" | "sendMessage">;
  readonly load: () => readonly OutgoingMessage[];
  readonly save: (messages: readonly OutgoingMessage[]) => void;
  readonly random?: () => number;
  readonly backoff?: Backoff;
};

const BACKOFF: Backoff = { minMs: 250, maxMs: 5_000 };

export function openOutbox(options: OutboxOptions): Outbox {
  return new PersistentOutbox(options);
}

class PersistentOutbox implements Outbox {
  readonly closed: Promise<void>;
  readonly #options: OutboxOptions;
  readonly #stop = new AbortController();
  readonly #listeners = createListeners(atOnce);
  #wake = new AbortController();
  #entries: readonly OutboxEntry[];

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#entries = options.load().map(waiting);
    this.closed = this.#run();
  }

  readonly getState = () => this.#entries;
  readonly subscribe = (listener: () => void) => this.#listeners.subscribe(listener);
  readonly retryNow = () => this.#wake.abort();
  readonly close = () => this.#stop.abort();

  readonly add = (message: OutgoingMessage) => {
    this.#change([...this.#entries, waiting(message)]);
    this.#wake.abort();
  };

  readonly discard = (messageId: string) => {
    this.#change(this.#entries.filter((entry) => entry.messageId !== messageId));
  };

  /** One at a time and in order: the second message must not overtake the first. */
  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const next = this.#entries.find(({ status }) => status === "waiting");
      if (!next) {
        await this.#rest(null);
        continue;
      }
      this.#update(next.messageId, { status: "sending" });
      const problem = await this.#send(next);
      failures = problem ? failures + 1 : 0;
      if (!problem) continue;
      this.#update(next.messageId, { status: "waiting", problem });
      const { backoff = BACKOFF, random = Math.random } = this.#options;
      await this.#rest(delayOf(backoff, failures, random));
    }
  }

  /** Undefined when the message was answered, whatever the answer; otherwise why to try again. */
  async #send(message: OutboxEntry): Promise<string | undefined> {
    try {
      const outcome = await deliver(this.#options.api, message, this.#stop.signal);
      const change = outcome.accepted
        ? ({ status: "sent", problem: null } as const)
        : ({ status: "refused", problem: outcome.safe_message } as const);
      this.#update(message.messageId, change);
      return undefined;
    } catch (error) {
      const failure = toApiFailure(error);
      if (failure.retryable || failure.status === 401) return failure.message;
      this.#update(message.messageId, { status: "refused", problem: failure.message });
      return undefined;
    }
  }

  async #rest(ms: number | null): Promise<void> {
    this.#wake = new AbortController();
    await pause(ms, AbortSignal.any([this.#stop.signal, this.#wake.signal]));
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
    this.#options.save(entries.filter(({ status }) => status !== "sent").map(toMessage));
    this.#listeners.notify();
  }
}

/** A run that ended in the meantime cannot be reached any more: the message starts the next one. */
async function deliver(
  api: OutboxOptions["api"],
  { messageId, sessionId, text, model, target }: OutgoingMessage,
  signal: AbortSignal,
): Promise<Outcome> {
  if (target) {
    const command = { message: text, mode: target.mode, message_id: messageId };
    const outcome = await api.sendMessage(target.runId, command, signal);
    if (outcome.status !== "not_active") return outcome;
  }
  const start = { session_id: sessionId, message: text, message_id: messageId, source: "web" };
  return api.startRun({ ...start, ...(model !== undefined && { model }) }, signal);
}

function waiting(message: OutgoingMessage): OutboxEntry {
  return { ...message, status: "waiting", problem: null };
}

function toMessage({ status: _status, problem: _problem, ...message }: OutboxEntry) {
  return message satisfies OutgoingMessage;
}
