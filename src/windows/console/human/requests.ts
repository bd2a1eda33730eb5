// Finds requests to a person by id alone: the console's clients know nothing else.
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { RequestRecord } from "../../../kernel/api/records/records.ts";
import {
  requestIdOf,
  requestOf,
  requestOfRecord,
  type Asked,
  type ConsoleRequest,
} from "../wire/requests.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { EventOf, RunEvent } from "../../../kernel/events/events.ts";
import { backwards } from "../stream/backwards.ts";

type Answered = EventOf<"approval.resolved" | "clarify.resolved">;
export type Found = {
  readonly runId: string;
  readonly request: ConsoleRequest;
  /** How it was settled; undefined: nobody has answered. */
  readonly answered: Answered | undefined;
};

export async function listPending(journal: Journal, sessionId?: string): Promise<ConsoleRequest[]> {
  const records = await journal.reads.pending(sessionId === undefined ? {} : { sessionId });
  return Promise.all(records.map((record) => detailed(journal, record)));
}

/** One damaged run must not hide what waits in all the others. */
async function detailed(journal: Journal, record: RequestRecord): Promise<ConsoleRequest> {
  try {
    const found = await inRun(journal, record.run_id, record.request_id);
    return found?.request ?? requestOfRecord(record);
  } catch (error) {
    if (error instanceof ApiError) return requestOfRecord(record);
    throw error;
  }
}

export async function findRequest(journal: Journal, requestId: string): Promise<Found | undefined> {
  const pending = (await journal.reads.pending({})).find(
    ({ request_id }) => request_id === requestId,
  );
  if (pending) {
    const request = await detailed(journal, pending);
    return { runId: pending.run_id, request, answered: undefined };
  }
  for (const runId of runsNamedIn(requestId)) {
    if (await journal.reads.run(runId)) return inRun(journal, runId, requestId);
  }
  return undefined;
}

/** Ids are `<kind>_<run>_<rest>`, and both of the latter may have underscores. The longest first. */
function runsNamedIn(requestId: string): string[] {
  const parts = requestId.split("_").slice(1, 12);
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("_")).filter(Boolean);
}

async function inRun(
  journal: Journal,
  runId: string,
  requestId: string,
): Promise<Found | undefined> {
  let answered: Answered | undefined;
  for await (const event of backwards(journal, runId)) {
    if (isAnswer(event) && answerId(event) === requestId) answered = event;
    if (isAsked(event) && requestIdOf(event) === requestId) {
      return { runId, request: requestOf(event), answered };
    }
  }
  return undefined;
}

function isAsked(event: RunEvent): event is Asked {
  const { type } = event;
  return (
    type === "approval.requested" || type === "clarify.requested" || type === "tool.outcome_unknown"
  );
}

function isAnswer(event: RunEvent): event is Answered {
  return event.type === "approval.resolved" || event.type === "clarify.resolved";
}

function answerId({ type, payload }: Answered): string {
  return type === "approval.resolved" ? payload.approval_id : payload.clarify_id;
}
