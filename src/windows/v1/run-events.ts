// `GET /v1/runs/{id}/events`: a stream with ids for any number of readers or, for JSON, the events after a cursor by
// long polling.
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { webuiDialect } from "../webui/wire/webui.ts";
import { v1RunsDialect } from "./wire/runs.ts";
import { windowId } from "../../kernel/dialect/window-id.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import type { JournalReads } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { collect } from "../../kernel/server/feed/long-poll.ts";
import { streamEvents } from "../../kernel/server/feed/sse.ts";
import { findRun, windowSource } from "../../kernel/server/feed/window.ts";
import { abortOnDisconnect } from "../../kernel/server/disconnect.ts";
import { V1Error } from "./v1-error.ts";
import { runIdOf, requireRun } from "./require-run.ts";

/** Who polls gets the frames of the web UI. */
const POLLED = webuiDialect;
const WAIT_MS = 20_000; // its client gives up after sixty seconds

export function runEvents(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/runs/:runId/events", async (request, reply) => {
      const record = await requireRun(journal, runIdOf(request));
      const found = await findRun(journal, record.run_id);
      const run = { runId: record.run_id, begin: found?.begin ?? 0 };
      const spec = { sessionId: record.session_id, run };
      const after = cursorIn(request, record.run_id);
      await checkCursor(journal, record, after);
      if (wantsJson(request)) return poll(deps, { spec, after, gone: abortOnDisconnect(reply) });
      // Everything was seen: 204 is how an EventSource learns not to come back.
      if (isTerminal(record.status) && after >= (await endOf(journal, record))) {
        return reply.status(204).send();
      }
      const source = windowSource(journal, {
        ...spec,
        dialect: v1RunsDialect,
        text: (frame, event) =>
          `id: ${windowId(run.runId, event.session_seq)}\ndata: ${JSON.stringify(frame)}\n\n` +
          (event.terminal ? ": stream closed\n\n" : ""),
      });
      const beat = () => ": keepalive\n\n";
      return streamEvents(reply, deps.streams, { source, after, beat });
    });
  };
}

/** session_seq of the run's newest event. */
async function endOf(journal: JournalReads, { run_id, seq }: RunRecord): Promise<number> {
  return (await journal.readRun(run_id, seq - 1, 1))?.rows[0]?.[1] ?? 0;
}

/** Beyond what was ever told it is of another log, and what is to come would be left out in silence. */
async function checkCursor(
  journal: JournalReads,
  { session_id, status }: RunRecord,
  after: number,
) {
  const head = (await journal.reads.session(session_id))?.seq ?? 0;
  const newest = isTerminal(status) ? head + 1 : head; // pollers are told of an end in two numbers
  if (after <= newest) return;
  const message = `The cursor is beyond the newest event (${newest}).`;
  throw new V1Error(409, "cursor_invalid", message, "cursor");
}

/** Nothing but another of them follows one of these. */
const ENDS: ReadonlySet<string> = new Set(["done", "cancel", "apperror", "stream_end"]);

type Polling = {
  spec: { sessionId: string; run: { runId: string; begin: number } };
  after: number;
  gone: AbortSignal;
};

async function poll({ journal, streams }: AppDeps, { spec, after, gone }: Polling) {
  const { runId } = spec.run;
  const source = windowSource(journal, {
    ...spec,
    name: "webui polled",
    dialect: POLLED,
    text: ({ event, data }, { session_seq, created_at }) => {
      // A run's end is told in two frames: the second has the number after it.
      const seq = event === "stream_end" ? session_seq + 1 : session_seq;
      const event_id = windowId(runId, seq);
      const emitted = { event, type: event, payload: data, data, event_id, id: event_id, seq };
      const about = { run_id: runId, session_id: spec.sessionId, terminal: ENDS.has(event) };
      return `${JSON.stringify({ ...emitted, ...about, created_at })}\n`;
    },
  });
  const before = await journal.reads.run(runId);
  // Until the end is told there is something to wait for, also when others are being told it first.
  const over = before && isTerminal(before.status) && after >= (await endOf(journal, before));
  const waitMs = over ? 0 : WAIT_MS;
  const chunks = await collect(streams.tails, source, { after, waitMs, gone });
  const lines = Buffer.concat(chunks).toString().split("\n").filter(Boolean);
  const events = lines.map((line) => JSON.parse(line) as { event_id: string; seq: number });
  const last = events.at(-1);
  return {
    run_id: runId,
    events,
    cursor: String(last?.seq ?? after),
    last_event_id: last?.event_id ?? (after > 0 ? windowId(runId, after) : null),
    status: (await journal.reads.run(runId))?.status ?? null, // after what was told, not before it was waited for
  };
}

/** JSON only for who asks for it: plain HTTP clients say that they take anything, and want the stream. */
function wantsJson({ headers }: FastifyRequest): boolean {
  const accept = headers.accept ?? "";
  return accept.includes("application/json") && !accept.includes("text/event-stream");
}

/** `<n>` or `<run>:<n>`, as a query or as an EventSource sends it. */
function cursorIn({ query, headers }: FastifyRequest, runId: string): number {
  const asked = query as Record<string, string | undefined>;
  const header = headers["last-event-id"];
  const text =
    asked["cursor"] ?? asked["after_seq"] ?? (Array.isArray(header) ? header[0] : header);
  if (text === undefined || text === "") return 0;
  const [, of, number] = /^(?:(.{1,200}):)?(\d{1,15})$/.exec(text) ?? [];
  if (number === undefined || (of !== undefined && of !== runId)) {
    throw new V1Error(409, "cursor_invalid", "The cursor is not one of this run.", "cursor");
  }
  return Number(number);
}
