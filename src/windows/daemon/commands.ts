// What a client of the daemon window may ask, and how it is answered. Answers to requests are the same
// commands as in every other window: the first one counts, and everybody sees whose it was.
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RequestRecord } from "../../kernel/api/records/records.ts";
import type { ApprovalChoice } from "../../kernel/events/catalogue/human.ts";
import { DAEMON } from "./wire/human.ts";
import type { DaemonCommand } from "./wire/inbound.ts";
import { buttonsOf } from "../../kernel/dialect/deny-word.ts";
import { isoTime } from "../../kernel/dialect/iso-time.ts";
import { cronStatus } from "./cron.ts";
import { MAX_SNAPSHOT_CHARS, snapshotOf } from "./snapshot.ts";

type Method = DaemonCommand["method"];
type Of<Each extends Method> = Extract<DaemonCommand, { method: Each }>;
/** The text to answer with; undefined: this is not answered. */
type Handlers = {
  readonly [Each in Method]: (command: Of<Each>, journal: Journal) => Promise<string | undefined>;
};

const MAX_SESSIONS = 500; // the newest

const HANDLERS: Handlers = {
  "sessions.list": async (_command, journal) => {
    const { sessions } = await journal.reads.sessionSummaries({ limit: MAX_SESSIONS, offset: 0 });
    const listed = sessions.map(({ session_id, workspace, created_at, model }) => ({
      sessionId: session_id,
      projectPath: workspace,
      createdAt: isoTime(created_at),
      active: true, // the opposite of ended, which ours are when they are deleted
      model,
    }));
    return JSON.stringify({ method: "sessions.list.result", sessions: listed });
  },

  "snapshot.request": async ({ params: { sessionId, lastEventId } }, journal) => {
    const after = Number.isInteger(lastEventId) ? (lastEventId as number) : 0;
    const asked = { sessionId, after, maxChars: MAX_SNAPSHOT_CHARS };
    const snapshot = await snapshotOf(journal, asked);
    const { lastEventId: last, truncated } = snapshot;
    const head = {
      method: "snapshot.response",
      sessionId,
      lastEventId: last,
      ...(truncated && { truncated }),
    };
    // Frames are put in as they are: what is replayed is byte for byte what is told live.
    return `${JSON.stringify(head).slice(0, -1)},"events":[${snapshot.events.join(",")}]}`;
  },

  "scheduler.cron.status": (_frame, journal) => cronStatus(journal),

  "permission.response": async ({ params }, journal) => {
    const request = await pendingOf(journal, params);
    const { approved, remember } = params;
    if (request?.kind === "approval") {
      const choice = choiceOf(request, { approved, remember: remember === true });
      const ids = { runId: request.run_id, approvalId: request.request_id };
      if (!choice) return notTaken(params, NO_CHOICE);
      await journal.commands.respondApproval(ids, { choice, by: DAEMON });
      return undefined;
    }
    if (!request) return notTaken(params, NOT_WAITING);
    const { approve, deny } = buttonsOf(request.kind, request.choices);
    await answer(journal, request, approved ? approve : deny);
    return undefined;
  },

  "clarify.response": async ({ params }, journal) => {
    const request = await pendingOf(journal, params);
    const fits = request?.kind === "clarify" || request?.choices.includes(params.response);
    if (!request) return notTaken(params, NOT_WAITING);
    if (request.kind === "approval" || !fits) return notTaken(params, NO_CHOICE);
    await answer(journal, request, params.response);
    return undefined;
  },
};

export function obey(command: DaemonCommand, journal: Journal): Promise<string | undefined> {
  const handle = HANDLERS[command.method] as (
    command: DaemonCommand,
    journal: Journal,
  ) => Promise<string | undefined>;
  return handle(command, journal);
}

/** Of that session, where one is named. An id that several requests share answers none of them. */
async function pendingOf(
  journal: Journal,
  { sessionId, requestId }: { sessionId?: string | undefined; requestId: string },
): Promise<RequestRecord | undefined> {
  const pending = await journal.reads.pending(sessionId === undefined ? {} : { sessionId });
  const [found, ...others] = pending.filter(({ request_id }) => request_id === requestId);
  return others.length === 0 ? found : undefined;
}

/** An answer that was not taken must not look as if it had been. */
function notTaken({ requestId }: { requestId: string }, error: string): string {
  return JSON.stringify({ method: "quarterdeck.error", params: { requestId, error } });
}
const NOT_WAITING = "Nothing waits under this request id. It may have been answered already.";
const NO_CHOICE = "This request does not offer that answer.";

/** A yes that is to be remembered holds for the session, where that is offered. */
function choiceOf(
  { choices }: RequestRecord,
  { approved, remember }: { approved: boolean; remember: boolean },
): ApprovalChoice | undefined {
  const wanted: ApprovalChoice[] = approved
    ? [...(remember ? ["session" as const] : []), "once"]
    : ["deny"];
  return wanted.find((choice) => choices.includes(choice));
}

async function answer(journal: Journal, request: RequestRecord, response: string): Promise<void> {
  const ids = { runId: request.run_id, clarifyId: request.request_id };
  await journal.commands.respondClarify(ids, { response, by: DAEMON });
}
