// The durable truth. Runner and server meet here and nowhere else.
// Implementations: sqlite.ts (embedded); whatever comes later must pass journal.contract.ts too.
import type {
  CancelRun,
  CreateSession,
  Outcome,
  QueueMessage,
  RespondApproval,
  RespondClarify,
  StartRun,
  UpdateGoal,
  UpdateTitle,
} from "../protocol/commands.ts";
import type { RequestRecord, RunRecord, SessionRecord } from "../protocol/api-records.ts";
import type { Draft } from "../protocol/events.ts";
import type { RunSnapshot } from "../protocol/run-state.ts";
import type { BlobStore } from "./blobs.ts";

/** Proof that a runner owns a run. A newer claim has a higher fence and locks out older ones. */
export type Claim = {
  readonly runId: string;
  readonly sessionId: string;
  readonly fence: number;
  readonly previousRunnerId: string | null;
};

export type AppendResult =
  | { ok: true; seq: number }
  /** fenced: another runner owns the run. finished: it has ended. behind: see `expectSeq`. */
  | { ok: false; reason: "fenced" | "finished" | "behind" };

/** `expectSeq`: only if nothing was appended after it, so that no accepted command is overlooked. */
export type AppendOptions = { readonly expectSeq?: number };

/** One stored event: its cursors and the bytes that are sent. */
export type StoredRow = readonly [seq: number, sessionSeq: number, body: string];
export type Page = { readonly head: number; readonly rows: readonly StoredRow[] };

/** `count` events of a log as its stream sends them. `ended`: the last of them is its last for ever. */
export type Frames = {
  readonly bytes: Buffer;
  readonly count: number;
  readonly to: number;
  readonly head: number;
  readonly ended: boolean;
};

export type ProcessRecord = {
  readonly process_id: string;
  readonly kind: "serve" | "runner";
  readonly pid: number;
  readonly started: string; // with pid and host: which process exactly
  readonly host: string;
  readonly url: string | null;
};

/** A hint to read: `logId` has events up to `seq`. Losing one costs latency, never an event. */
export type Wake = {
  readonly logId: string;
  readonly seq: number;
  readonly sessionId: string;
  readonly sessionSeq: number;
};

export type Defaults = { readonly model: string; readonly workspace: string };
export type Child = { readonly runId: string; readonly parent: Claim; readonly message: string };

export interface Commands {
  startRun(command: StartRun, defaults: Defaults): Promise<Outcome>;
  cancelRun(runId: string, command: CancelRun): Promise<Outcome | undefined>;
  respondApproval(
    ids: { runId: string; approvalId: string },
    command: RespondApproval & { by: string },
  ): Promise<Outcome | undefined>;
  respondClarify(
    ids: { runId: string; clarifyId: string },
    command: RespondClarify & { by: string },
  ): Promise<Outcome | undefined>;
  queueMessage(runId: string, command: QueueMessage): Promise<Outcome | undefined>;
  updateGoal(sessionId: string, command: UpdateGoal): Promise<Outcome | undefined>;
  createSession(command: CreateSession, defaults: Defaults): Promise<Outcome>;
  updateTitle(sessionId: string, command: UpdateTitle): Promise<Outcome | undefined>;
}

export interface Reads {
  /** Up to `limit` events with seq > after, in order. Undefined when there is no such log. */
  readRun(logId: string, after: number, limit: number): Promise<Page | undefined>;
  /** The same events, framed and checked as a whole: for replays. */
  readFrames(logId: string, after: number, limit: number): Promise<Frames | undefined>;
  readSession(sessionId: string, after: number, limit: number): Promise<Page | undefined>;
  run(runId: string): Promise<RunRecord | undefined>;
  session(sessionId: string): Promise<SessionRecord | undefined>;
  sessions(query: { limit: number; offset: number }): Promise<readonly SessionRecord[]>;
  runsOf(sessionId: string): Promise<readonly RunRecord[]>;
  pending(filter: { sessionId?: string; runId?: string }): Promise<readonly RequestRecord[]>;
  /** Whether a person allowed exactly this plan for the rest of the session. */
  granted(sessionId: string, planHash: string): Promise<boolean>;
  snapshot(runId: string): Promise<RunSnapshot | undefined>;
}

export interface Execution {
  /** The oldest run nobody owns: unclaimed, lease run out, or owned by one of `lost`. */
  claimNext(claimant: {
    runnerId: string;
    leaseMs: number;
    lost: readonly string[];
    childrenOnly: boolean;
  }): Promise<Claim | undefined>;
  /** Prolongs every lease of the runner; the runs it still owns. */
  renew(runnerId: string, leaseMs: number): Promise<readonly string[]>;
  release(claim: Claim): Promise<void>;
  /** Atomic: either every draft is durable with consecutive seqs, or none is. */
  append(claim: Claim, drafts: readonly Draft[], options?: AppendOptions): Promise<AppendResult>;
  /** Idempotent by the child's id, which the parent derives from the call that asked for it. */
  startChild(child: Child): Promise<void>;
  saveSnapshot(snapshot: RunSnapshot): Promise<void>;
}

export interface Registry {
  register(process: ProcessRecord): Promise<void>;
  unregister(processId: string): Promise<void>;
  processes(): Promise<readonly ProcessRecord[]>;
  /** Which runs each runner holds. */
  owned(): Promise<ReadonlyMap<string, readonly string[]>>;
  addLoginCode(hash: string, ttlSeconds: number): Promise<void>;
  /** True once per code, whatever the number of servers and restarts. */
  takeLoginCode(hash: string): Promise<boolean>;
}

export interface Journal extends AsyncDisposable, Commands, Reads, Execution, Registry {
  readonly epoch: string;
  readonly blobs: BlobStore;
  /** Calls back after every commit, here or in another process. Returns the way to stop. */
  watch(listener: (wake: Wake | "all") => void): () => void;
  backup(path: string): Promise<void>;
  /** Follows the chain of every log; the problems found, each already quarantined. */
  verify(): Promise<readonly { logId: string; problem: string }[]>;
  /** Makes every projection anew from the events. */
  rebuild(): Promise<void>;
}
