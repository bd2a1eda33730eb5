// The interface of the journal, the only place where runner and server meet.
// Implementations: sqlite.ts (embedded), postgres.ts (many machines); both must pass journal.contract.ts.
import type { JournalDatabase } from "./transaction.ts";
import type {
  ChangeRecord,
  InboxRequest,
  InboxView,
  ProjectRecord,
  RequestRecord,
  RunRecord,
  SessionRecord,
  SessionSummary,
  SpentRecord,
  UsageTotals,
} from "../api/records/records.ts";
import type { HitKind, HitRole, SearchView } from "../api/records/search.ts";
import type { Budget } from "../events/catalogue/lifecycle.ts";
import type { Rule } from "../events/catalogue/permissions.ts";
import type { Draft } from "../events/events.ts";
import type { RunSnapshot } from "../state/run/state.ts";
import type { BlobStore } from "../blobs/blobs.ts";
import type { ChannelMessage, Commands } from "./admit/commands-journal.ts";
import type { HomeFiles } from "./system-log/home-files-journal.ts";
import type { SystemLog } from "./system-log/system-log-journal.ts";
import type { Workspaces } from "./admit/workspaces.ts";
import type { Redactor } from "../redact/redact.ts";

export type {
  ChannelMessage,
  ChannelTaken,
  Commands,
  Defaults,
  ImportSession,
  ProcessRequest,
  StartKey,
} from "./admit/commands-journal.ts";
export type { HomeFiles, SkillUse } from "./system-log/home-files-journal.ts";
export type { SystemLog, SystemLogQuery } from "./system-log/system-log-journal.ts";

/** Proof that a runner owns a run. A newer claim has a higher fence and locks out older ones. */
export type Claim = {
  readonly runId: string;
  readonly sessionId: string;
  readonly fence: number;
  readonly previousRunnerId: string | null;
  /** Until when the previous runner had renewed its lease (unix seconds); null: there was none. */
  readonly heldUntil: number | null;
  /** The previous runner released it between steps: nothing was interrupted. */
  readonly handedOver: boolean;
};

/** Every renewal changes `until`: compare it with its earlier value, never with a clock. */
export type RunnerLease = {
  readonly until: number; // by the database's clock, which may be set
  readonly restMs: number;
};

export type AppendResult =
  | { ok: true; seq: number }
  /**
   * fenced: another runner owns the run. finished: it has ended. behind: see `expectSeq`. cancelling: it was stopped,
   * and these drafts would continue it. outdated: a person has changed the goal or the title that they are about.
   */
  | { ok: false; reason: "fenced" | "finished" | "behind" | "cancelling" | "outdated" };

/** `expectSeq`: append only if nothing came after it, so that no accepted command is overlooked. */
export type AppendOptions = { readonly expectSeq?: number };

/** One stored event: its cursors and the bytes that are sent. */
export type StoredRow = readonly [seq: number, sessionSeq: number, body: string];
export type Page = { readonly head: number; readonly rows: readonly StoredRow[] };

/** `count` events of a log as its stream sends them. `ended`: the last of them is the log's terminal event. */
export type Frames = {
  readonly bytes: Buffer;
  readonly count: number;
  readonly to: number;
  readonly head: number;
  readonly ended: boolean;
};

export type ProcessRecord = {
  readonly process_id: string;
  readonly kind: "serve" | "runner" | "gateway";
  readonly pid: number;
  readonly started: string; // with pid and host it identifies the process
  readonly host: string;
  readonly url: string | null;
  readonly volumes: readonly string[]; // that a runner reaches
};

/** A hint to read: `logId` has events up to `seq`. Losing one costs latency, never an event. */
export type Wake = {
  readonly logId: string;
  readonly seq: number;
  readonly sessionId: string;
  readonly sessionSeq: number;
  readonly work: boolean; // there may be a run to claim; most wakes are tokens, which runners ignore
};

export type BranchPoint = {
  readonly sessionId: string;
  readonly runId: string;
  readonly seq: number;
};
/**
 * Words in any order (the last may be half typed), "phrases" and -not; all filters must match. `profile` keeps one
 * profile's sessions from another's. `bySession`: only the best hit of each session.
 */
export type SearchQuery = {
  readonly q: string;
  readonly kind?: readonly HitKind[];
  readonly role?: HitRole;
  readonly tool?: string;
  readonly sessionId?: string;
  readonly profile?: string;
  readonly workspace?: string; // of the run
  readonly project?: string;
  readonly since?: number; // unix seconds
  readonly until?: number;
  readonly bySession?: boolean;
  readonly limit: number;
  readonly cursor?: string; // `next` of the page before
};

export type Child = {
  readonly runId: string;
  readonly parent: Claim;
  readonly message: string;
  readonly title?: string;
  readonly budget?: Budget | null;
  readonly toolsets?: readonly string[]; // absent: the parent's
};

/** Filters for sessions; all of them must match. Deleted sessions are left out. */
export type SessionQuery = {
  readonly q?: string; // in the title, or words that were said
  readonly source?: string;
  readonly workspace?: string;
  readonly model?: string; // with its provider, or the bare name
  readonly hasTools?: boolean;
  readonly parent?: string; // branched off this session
  readonly limit: number;
  readonly offset: number;
};
export type SessionSummaries = {
  readonly sessions: readonly SessionSummary[]; // newest first
  readonly total: number; // without limit and offset
};

/** Stored events, byte for byte as they are sent. */
export interface EventReads {
  /** Up to `limit` events with seq > after, in order. Undefined when there is no such log. */
  readRun(logId: string, after: number, limit: number): Promise<Page | undefined>;
  /** The same events for replays: framed, and checked by one checksum. */
  readFrames(logId: string, after: number, limit: number): Promise<Frames | undefined>;
  readSession(sessionId: string, after: number, limit: number): Promise<Page | undefined>;
}

/** Lists and records. */
export interface Reads {
  run(runId: string): Promise<RunRecord | undefined>;
  session(sessionId: string): Promise<SessionRecord | undefined>;
  sessions(query: {
    limit: number;
    offset: number;
    pinnedOnly?: boolean;
  }): Promise<readonly SessionRecord[]>;
  runsOf(sessionId: string): Promise<readonly RunRecord[]>;
  pending(filter: { sessionId?: string; runId?: string }): Promise<readonly RequestRecord[]>;
  /** Pending requests and runs that failed or expired; newest first, bounded. */
  inbox(): Promise<InboxView>;
  /** With the answer's text; empty: no answer is needed any more, null: none yet. */
  request(requestId: string): Promise<{ request: InboxRequest; answer: string | null } | undefined>;
  /** Whether a person allowed exactly this plan for the rest of the session. */
  granted(sessionId: string, planHash: string): Promise<boolean>;
  /** The rules of this session: its own, its project's, and every "always" of the run's (or session's) profile. */
  rules(sessionId: string, profile?: string): Promise<readonly Rule[]>;
  projects(): Promise<readonly ProjectRecord[]>;
  project(projectId: string): Promise<ProjectRecord | undefined>;
  /** Of the run and all runs below it. */
  spent(runId: string): Promise<SpentRecord>;
  /** Changes to files by the tools of a run (subagents included) or a session, oldest first. */
  changes(of: { runId: string } | { sessionId: string }): Promise<readonly ChangeRecord[]>;
  /** Where the history of a branched session ends: a session, a run and one of its events. */
  branchedFrom(sessionId: string): Promise<BranchPoint | undefined>;
  /** Searches messages, tool arguments and results, changed files and errors: the newest hits, best first. */
  search(query: SearchQuery): Promise<SearchView>;
  sessionSummaries(query: SessionQuery): Promise<SessionSummaries>;
  sessionSummary(sessionId: string): Promise<SessionSummary | undefined>;
  /** session_seq of every session that is not deleted. */
  sessionHeads(): Promise<ReadonlyMap<string, number>>;
  /** Usage since then, by the time of use; `runs` counts the runs that used something. */
  usageSince(at: number): Promise<UsageTotals>;
  channelMessage(sessionId: string, messageId: string): Promise<ChannelMessage | undefined>;
  /** Messages whose reply was not yet sent on any socket, oldest first. */
  unreplied(sessionId: string): Promise<readonly ChannelMessage[]>;
  /** Sessions whose id starts with `prefix` and a colon and that have such messages, the longest waiting first. */
  unrepliedUnder(prefix: string, limit: number): Promise<readonly string[]>;
  snapshot(runId: string): Promise<RunSnapshot | undefined>;
  /** The last stored fold of a session, if `reducer` made it. */
  savedFold(sessionId: string, reducer: number): Promise<SavedFold | undefined>;
}

/** JSON of a FoldedSnapshot, so that it can be sent without parsing. */
export type SavedFold = { readonly seq: number; readonly text: string };

export interface Execution {
  /** Claims a run without an owner or of a runner in `lost`, never one of the claimant's own. Sessions take turns. */
  claimNext(claimant: {
    runnerId: string;
    leaseMs: number;
    lost: readonly string[];
    childrenOnly: boolean;
    volumes: readonly string[]; // that this runner reaches, beside paths that are the same everywhere
  }): Promise<Claim | undefined>;
  /** While no runner is left: pauses active runs without an owner or of `lost`, as waiting for a runner. */
  pauseAbandoned(lost: readonly string[]): Promise<void>;
  /** Claims one of those runs that was stopped, in order to end it. */
  claimStopped(claimant: {
    runnerId: string;
    leaseMs: number;
    lost: readonly string[];
  }): Promise<Claim | undefined>;
  /** Renews every lease of the runner; returns the runs that it still owns. */
  renew(runnerId: string, leaseMs: number): Promise<readonly string[]>;
  /** The lease of every runner that holds a run. */
  leases(): Promise<ReadonlyMap<string, RunnerLease>>;
  /** `handedOver`: released between steps, so the next claim is no recovery. */
  release(claim: Claim, how?: { readonly handedOver: boolean }): Promise<void>;
  /** Atomic: either every draft is durable with consecutive seqs, or none is. */
  append(claim: Claim, drafts: readonly Draft[], options?: AppendOptions): Promise<AppendResult>;
  /** Idempotent by the child's id, which the parent derives from the call that asked for it. */
  startChild(child: Child): Promise<void>;
  saveSnapshot(snapshot: RunSnapshot): Promise<void>;
  saveFold(sessionId: string, reducer: number, fold: SavedFold): Promise<void>;
}

export interface Registry {
  register(process: ProcessRecord): Promise<void>;
  unregister(processId: string): Promise<void>;
  processes(): Promise<readonly ProcessRecord[]>;
  /** Which runs each runner holds. */
  owned(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Open runs by volume, for volumes that no registered runner which may be alive has mounted. */
  unreached(): Promise<ReadonlyMap<string, readonly string[]>>;
  addLoginCode(hash: string, ttlSeconds: number): Promise<void>;
  /** Returns `taken` or `expired` once per code, across servers and restarts, and `unknown` for any other code. */
  takeLoginCode(hash: string): Promise<"taken" | "expired" | "unknown">;
  /** Values that all processes of the journal share, on every machine. */
  shared(name: string): Promise<string | undefined>;
  /** Stores a value and returns the one that counts: of concurrent calls the first one's, unless it replaces. */
  keepShared(name: string, value: string, options?: { replace?: boolean }): Promise<string>;
}

export type StorageStatus = {
  readonly backend: "sqlite" | "postgres";
  readonly away: { readonly since: number; readonly problem: string } | null;
};

/** For operators: `doctor`. */
export interface Upkeep {
  backup(path: string): Promise<void>;
  /** Verifies the chain of every log, quarantines damaged logs and returns the problems. */
  verify(): Promise<readonly { logId: string; problem: string }[]>;
  /** Lifts the quarantine of logs that verify again and audits who did it; a dry run only lists them. */
  lift(how: { by: string; ask: boolean }): Promise<readonly { logId: string; problem: string }[]>;
  /** Rows of lists and records that were damaged or do not follow from the events. Postgres checks its pages itself. */
  listProblems(): Promise<readonly string[]>;
  /** Rebuilds every projection from the events. */
  rebuild(): Promise<void>;
  /** Indexes a few runs from before the index existed; returns how many are left. */
  indexOlder(): Promise<number>;
}

/** The hot path. Everything else is in parts, so that a function can depend on just the part it needs. */
export interface Journal extends AsyncDisposable, EventReads, Execution {
  readonly commands: Commands;
  readonly reads: Reads;
  readonly registry: Registry;
  readonly systemLog: SystemLog;
  readonly homeFiles: HomeFiles;
  readonly upkeep: Upkeep;
  readonly epoch: string;
  readonly blobs: BlobStore;
  readonly database: JournalDatabase;
  /** Normalises and checks every workspace that comes in; features use it for their own commands. */
  readonly workspaces: Workspaces;
  /** Redacts every event. Runners also use it themselves, for text that is streamed in pieces. */
  readonly redactor: Redactor | undefined;
  /** Calls back after every commit, here or in another process. Returns the function that stops it. */
  watch(listener: (wake: Wake | "all") => void): () => void;
  /** Calls back with the seconds that each command took until it was durable. Returns the function that stops it. */
  watchCommands(listener: (seconds: number) => void): () => void;
  /** The database in use, and since when it does not answer. */
  storage(): StorageStatus;
}

/** All reads. */
export type JournalReads = EventReads & Pick<Journal, "reads">;
