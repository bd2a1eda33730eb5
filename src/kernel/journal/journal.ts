// The durable truth. Runner and server meet here and nowhere else.
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
import type { RunSnapshot } from "../state/run/run-state.ts";
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
  /** How far the runner before had renewed its lease (unix seconds); null: nobody held it. */
  readonly heldUntil: number | null;
  /** The runner before let go of it in order: nothing was lost. */
  readonly handedOver: boolean;
};

/** `until` is another one with every renewal: whether it changes tells more than any clock. */
export type RunnerLease = {
  readonly until: number; // by the database's clock, which may be set
  readonly restMs: number;
};

export type AppendResult =
  | { ok: true; seq: number }
  /**
   * fenced: another runner owns the run. finished: it has ended. behind: see `expectSeq`. cancelling: it was stopped,
   * and these drafts would go on with it. outdated: a person has changed the goal or the title that they are about.
   */
  | { ok: false; reason: "fenced" | "finished" | "behind" | "cancelling" | "outdated" };

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
  readonly kind: "serve" | "runner" | "gateway";
  readonly pid: number;
  readonly started: string; // with pid and host: which process exactly
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
  readonly work: boolean; // there may be a run to claim: most wakes are a token, and no runner's affair
};

export type BranchPoint = {
  readonly sessionId: string;
  readonly runId: string;
  readonly seq: number;
};
/**
 * Words in any order, the last maybe half typed, "phrases" and -not; everything given must hold. `profile` keeps one
 * profile's sessions from another's. `bySession`: of each session the best hit.
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

/** Which sessions; everything given must hold. Deleted ones are left out. */
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

/** What is stored, as it is sent. */
export interface EventReads {
  /** Up to `limit` events with seq > after, in order. Undefined when there is no such log. */
  readRun(logId: string, after: number, limit: number): Promise<Page | undefined>;
  /** The same events, framed and checked as a whole: for replays. */
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
  /** What waits for a person, and what ended badly; newest first, bounded. */
  inbox(): Promise<InboxView>;
  /** With its answer in words; empty: none any more, null: none yet. */
  request(requestId: string): Promise<{ request: InboxRequest; answer: string | null } | undefined>;
  /** Whether a person allowed exactly this plan for the rest of the session. */
  granted(sessionId: string, planHash: string): Promise<boolean>;
  /** What people allowed and forbade for this session: its own rules, its project's, and every "always" of the profile (a run's own; without one the session's). */
  rules(sessionId: string, profile?: string): Promise<readonly Rule[]>;
  projects(): Promise<readonly ProjectRecord[]>;
  project(projectId: string): Promise<ProjectRecord | undefined>;
  /** Of the run and all runs below it. */
  spent(runId: string): Promise<SpentRecord>;
  /** Changes to files by the tools of a run (subagents included) or a session, oldest first. */
  changes(of: { runId: string } | { sessionId: string }): Promise<readonly ChangeRecord[]>;
  /** Where a branched session's past ends: a session, a run and an event of it. */
  branchedFrom(sessionId: string): Promise<BranchPoint | undefined>;
  /** What was said, given to tools and answered, which files changed and what went wrong: the newest hits, best first. */
  search(query: SearchQuery): Promise<SearchView>;
  sessionSummaries(query: SessionQuery): Promise<SessionSummaries>;
  sessionSummary(sessionId: string): Promise<SessionSummary | undefined>;
  /** session_seq of every session that is not deleted. */
  sessionHeads(): Promise<ReadonlyMap<string, number>>;
  /** What was used since then, by when it was used; `runs` counts those that used something. */
  usageSince(at: number): Promise<UsageTotals>;
  channelMessage(sessionId: string, messageId: string): Promise<ChannelMessage | undefined>;
  /** Messages whose reply was put on no socket yet, oldest first. */
  unreplied(sessionId: string): Promise<readonly ChannelMessage[]>;
  /** Sessions below `prefix` and a colon that have such messages, the one that waits longest first. */
  unrepliedUnder(prefix: string, limit: number): Promise<readonly string[]>;
  snapshot(runId: string): Promise<RunSnapshot | undefined>;
  /** The fold of a session as it was last kept, if `reducer` made it. */
  savedFold(sessionId: string, reducer: number): Promise<SavedFold | undefined>;
}

/** JSON of a FoldedSnapshot: whoever sends it on need not read it. */
export type SavedFold = { readonly seq: number; readonly text: string };

export interface Execution {
  /** A run nobody owns, or one of `lost`; never one of the claimant's own. Sessions take turns. */
  claimNext(claimant: {
    runnerId: string;
    leaseMs: number;
    lost: readonly string[];
    childrenOnly: boolean;
    volumes: readonly string[]; // that this runner reaches, beside paths that are the same everywhere
  }): Promise<Claim | undefined>;
  /** While no runner is left: runs of `lost`, or of nobody, that look as if they went on wait visibly for one. */
  pauseAbandoned(lost: readonly string[]): Promise<void>;
  /** One of those that was stopped, to be brought to its end. */
  claimStopped(claimant: {
    runnerId: string;
    leaseMs: number;
    lost: readonly string[];
  }): Promise<Claim | undefined>;
  /** Prolongs every lease of the runner; the runs it still owns. */
  renew(runnerId: string, leaseMs: number): Promise<readonly string[]>;
  /** The lease of every runner that holds a run. */
  leases(): Promise<ReadonlyMap<string, RunnerLease>>;
  /** `handedOver`: at a point where nothing was going on, so that whoever claims it next recovers nothing. */
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
  /** Open runs that wait for a runner of their volume, by volume, where no registered one that may be alive has it. */
  unreached(): Promise<ReadonlyMap<string, readonly string[]>>;
  addLoginCode(hash: string, ttlSeconds: number): Promise<void>;
  /** `taken` or `expired` once per code, whatever the number of servers and restarts; then, as any other, `unknown`. */
  takeLoginCode(hash: string): Promise<"taken" | "expired" | "unknown">;
  /** What every process of the journal has in common, on whatever machine. */
  shared(name: string): Promise<string | undefined>;
  /** What is kept from now on: of those who come at once the first one's, unless it is to be replaced. */
  keepShared(name: string, value: string, options?: { replace?: boolean }): Promise<string>;
}

export type StorageStatus = {
  readonly backend: "sqlite" | "postgres";
  readonly away: { readonly since: number; readonly problem: string } | null;
};

/** For whoever looks after it. */
export interface Upkeep {
  backup(path: string): Promise<void>;
  /** Follows the chain of every log; the problems found, each already quarantined. */
  verify(): Promise<readonly { logId: string; problem: string }[]>;
  /** Quarantined logs that verify again: they are served again, and it is noted who did it, unless one only asks. */
  lift(how: { by: string; ask: boolean }): Promise<readonly { logId: string; problem: string }[]>;
  /** What of the lists and records is not as it was written, or does not follow from the events. Postgres checks its pages itself. */
  listProblems(): Promise<readonly string[]>;
  /** Makes every projection anew from the events. */
  rebuild(): Promise<void>;
  /** A small step of indexing what was there before the index: how many runs are left. */
  indexOlder(): Promise<number>;
}

/** The hot path; everything else in parts, so that a function can ask for the one it needs. */
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
  /** Everything with a workspace goes through it; features use it for commands of their own. */
  readonly workspaces: Workspaces;
  /** What every event goes through; for what is streamed in pieces, runners use it themselves. */
  readonly redactor: Redactor | undefined;
  /** Calls back after every commit, here or in another process. Returns the way to stop. */
  watch(listener: (wake: Wake | "all") => void): () => void;
  /** Calls back with the seconds each command took until it was durable. Returns the way to stop. */
  watchCommands(listener: (seconds: number) => void): () => void;
  /** Where it is kept, and since when that does not answer. */
  storage(): StorageStatus;
}

/** All that can be read of it. */
export type JournalReads = EventReads & Pick<Journal, "reads">;
