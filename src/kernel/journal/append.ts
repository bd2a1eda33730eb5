// The hot path: turns drafts into numbered, chained events, new heads and list updates. Nothing else assigns seq,
// event_id, created_at or hashes. Pure: each database stores the result in its own way, in one transaction.
import { crc32 } from "node:zlib";
import { ApiError } from "../events/errors.ts";
import type { Work } from "../events/event.ts";
import { factsOf } from "../events/events.ts";
import { frameOf } from "../events/frame.ts";
import { SYSTEM_LOG, type AnyDraft } from "../events/system-events.ts";
import { GENESIS, MAX_EVENT_CHARS, sealer } from "./hash-chain.ts";
import type { AppendOptions, AppendResult, Claim } from "./journal.ts";
import type { Catalogue } from "./project/catalogue.ts";
import { redactDraft, type Redact } from "../redact/draft.ts";
import { indexed, type SearchIndex } from "../search/index.ts";
import type { Statement } from "./sql.ts";
import { integer, nullable, real, rowsOf, text, type RowOf } from "./rows.ts";

/** The head of a log, with the fields of its session that an append needs, as of when it was read. */
export const LogRow = rowsOf("logs", {
  log_key: integer,
  log_id: text,
  session_key: integer,
  session_id: text,
  seq: integer,
  hash: text,
  checksum: integer,
  chars: integer,
  last_at: real,
  session_seq: integer,
  updated_hour: integer, // of the session
  fence: integer,
  runner_id: nullable(text),
  ended_at: nullable(real),
  status: text,
  quarantined: nullable(text),
  profile: text, // of the run; empty before run.queued
  workspace: text,
  title_source: text, // of the session, as these
  goal_text: nullable(text),
  goal_status: nullable(text),
});
export type LogRow = RowOf<typeof LogRow>;

export const SELECT_LOG = `
  SELECT l.log_key, l.log_id, l.session_key, s.session_id, l.seq, l.hash, l.checksum, l.chars, l.last_at,
         s.seq AS session_seq, s.updated_hour, l.fence, l.runner_id, l.ended_at, l.status, l.quarantined,
         l.profile, l.workspace, s.title_source, s.goal_text, s.goal_status
  FROM logs l JOIN sessions s USING (session_key) WHERE l.log_id = ?`;

/** Fields that are the same for every event of a journal. */
export type AppendContext = {
  readonly epoch: string;
  readonly redact: Redact | undefined;
  readonly words: SearchIndex;
  readonly catalogue: Catalogue;
};

export type NewEvent = {
  readonly seq: number;
  readonly sessionSeq: number;
  readonly checksum: number;
  readonly chars: number;
  readonly body: string;
};
export type Appended = {
  readonly events: readonly NewEvent[];
  /** The log's row after the append. */
  readonly head: LogRow;
  /** The list updates, in order. */
  readonly lists: readonly Statement[];
  readonly work: boolean; // see Wake
};

export type Refusal = Extract<AppendResult, { ok: false }>["reason"];

export type Claimed = { readonly claim: Claim; readonly drafts: readonly AnyDraft[] };

/**
 * Why a claim may not append to its log now. The fence stops a stale runner. A runner that has not yet heard that its
 * run was stopped cannot undo the stop by continuing (C4).
 */
export function refusalOf(
  log: LogRow | undefined,
  { claim, drafts }: Claimed,
  { expectSeq }: AppendOptions = {},
): Refusal | undefined {
  if (!log || log.fence !== claim.fence) return "fenced";
  if (log.ended_at !== null) return "finished";
  if (expectSeq !== undefined && expectSeq !== log.seq) return "behind";
  const goesOn = log.status === "cancelling" && drafts.some((draft) => workOf(draft) === "begins");
  if (goesOn) return "cancelling";
  return drafts.some((draft) => isOutdated(log, draft)) ? "outdated" : undefined;
}

function workOf({ type, payload }: AnyDraft): Work {
  const { work = "none" } = factsOf(type) ?? {};
  return typeof work === "string" ? work : work(payload as never);
}

/** Whether a person has meanwhile changed what the drafts are about: the goal (C10) or the title (C9). */
function isOutdated(log: LogRow, { type, payload }: AnyDraft): boolean {
  if (type === "title.updated") return payload.source === "model" && log.title_source === "user";
  if (type !== "goal.decided") return false;
  return log.goal_status !== "active" || log.goal_text !== payload.goal;
}

/** Whether these drafts need the current head: one that was read earlier cannot decide about them. */
export function concernsSession(drafts: readonly AnyDraft[]): boolean {
  return drafts.some(({ type }) => type === "title.updated" || type === "goal.decided");
}

const HOUR = 3_600;

/** The drafts as the events that follow the head `log`. */
export function numberEvents(
  log: LogRow,
  drafts: readonly AnyDraft[],
  sealing: AppendContext,
): Appended {
  const { epoch, redact, words, catalogue } = sealing;
  if (log.log_id === SYSTEM_LOG) drafts.forEach((draft) => refuseUnknown(draft, catalogue));
  const at = Math.max(log.last_at, Date.now() / 1000); // a clock that jumps back reorders nothing
  const text = String(at);
  const seal = sealer({ logId: log.log_id, sessionId: log.session_id, epoch });
  let { seq, session_seq: sessionSeq, checksum, chars } = log;
  let prevHash = log.hash || GENESIS;
  let ended = log.ended_at;
  let work = false;
  const events: NewEvent[] = [];
  const lists: Statement[] = [];
  const about = withRunPlacement(log, drafts);
  for (const written of drafts) {
    const draft = redact ? redactDraft(written, redact) : written;
    seq += 1;
    sessionSeq += 1;
    const { body, hash } = seal(draft, { seq, sessionSeq, at: text, prevHash });
    if (body.length > MAX_EVENT_CHARS) {
      throw new ApiError("too_large", `${draft.type} is too large to store.`);
    }
    prevHash = hash;
    const frame = frameOf(log.log_id, seq, body);
    checksum = crc32(frame, checksum);
    chars += frame.length;
    events.push({ seq, sessionSeq, checksum, chars, body });
    for (const statement of catalogue.project(log, draft, { seq, sessionSeq, at })) {
      lists.push(statement);
    }
    for (const statement of indexed(about, draft, { seq, at }, words)) lists.push(statement);
    if (draft.type === "done") ended = at;
    work ||= workOf(draft) === "offers";
  }
  const moved = { seq, session_seq: sessionSeq, hash: prevHash, checksum, chars, last_at: at };
  const head = { ...about, ...moved, updated_hour: Math.floor(at / HOUR), ended_at: ended };
  return { events, head, lists, work };
}

function refuseUnknown(draft: AnyDraft, catalogue: Catalogue): void {
  const problem = catalogue.problem(draft);
  if (problem) throw new TypeError(problem);
}

/** A run's profile and workspace are in one of its first events, after the message. */
function withRunPlacement(log: LogRow, drafts: readonly AnyDraft[]): LogRow {
  if (log.seq > 0) return log;
  const queued = drafts.find((draft) => draft.type === "run.queued");
  return queued
    ? { ...log, profile: queued.payload.profile, workspace: queued.payload.workspace }
    : log;
}
