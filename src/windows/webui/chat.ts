// Starts, stops and steers runs from a browser, and reports the position of a run's stream.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { WebuiCancel, WebuiStart, WebuiSteer } from "./wire/bodies.ts";
import { ApiError, parse } from "../../kernel/events/errors.ts";
import { ClientKey, RunId } from "../../kernel/events/ids.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { start } from "./start.ts";
import { param, endOf } from "./wire.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import { streamEnd } from "./wire/run-end.ts";
import { webuiSeq } from "./wire/frames.ts";
import { webuiDialect } from "./wire/webui.ts";
import { windowId } from "../../kernel/dialect/window-id.ts";
import type { RunEvent } from "../../kernel/events/events.ts";

export function chatRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.post("/start", async ({ body, headers }) => {
      const key = headers["idempotency-key"];
      return start(deps, parse(WebuiStart, body ?? {}), typeof key === "string" ? key : undefined);
    });

    app.get("/stream/status", async ({ query }) => {
      const stream_id = streamIdOf(query);
      const run = await findStream(journal, stream_id);
      if (!run) return { active: false, stream_id, replay_available: false };
      const active = run.ended_at === null;
      const summary = { session_id: run.session_id, run_id: run.run_id };
      return {
        active,
        stream_id,
        replay_available: run.quarantined === null,
        ...(run.quarantined === null && {
          journal: { ...summary, ...(await streamPosition(journal, run)) },
        }),
      };
    });

    app.get("/cancel", async ({ query }) => cancel(streamIdOf(query)));

    app.post("/cancel", async ({ query, body }) => {
      const { stream_id } = parse(WebuiCancel, body ?? {});
      return cancel(streamIdOf(stream_id ? { stream_id } : query));
    });

    app.post("/steer", async ({ body }) => {
      const { session_id, text, message_id } = parse(WebuiSteer, body ?? {});
      const session = await journal.reads.session(session_id);
      if (!session) return refused("session_not_found", null);
      const stream_id = session.active_run_id;
      if (stream_id === null) return refused("not_running", null);
      const keyed = message_id ? { message_id: parse(ClientKey, message_id) } : {};
      const request = { message: text, mode: "steer", ...keyed } as const;
      const outcome = await journal.commands.queueMessage(stream_id, request);
      if (!outcome?.accepted) return refused("not_running", stream_id);
      return { accepted: true, fallback: null, stream_id };
    });
  };

  async function cancel(stream_id: string) {
    const run = await findStream(journal, stream_id);
    const outcome =
      run && (await journal.commands.cancelRun(run.run_id, { reason: "stopped in the browser" }));
    return { ok: true, cancelled: outcome?.accepted ?? false, stream_id };
  }
}

const refused = (fallback: string, stream_id: string | null) => ({
  accepted: false,
  fallback,
  stream_id,
});

export function streamIdOf(query: unknown): string {
  const streamId = param(query, "stream_id");
  if (!streamId) throw new ApiError("invalid_request", "stream_id is required.");
  return streamId;
}

/** Undefined also for what cannot be a run's name: to the browser both are streams it never had. */
export async function findStream(
  journal: Journal,
  streamId: string,
): Promise<RunRecord | undefined> {
  const known = RunId.safeParse(streamId);
  return known.success ? journal.reads.run(known.data) : undefined;
}

// Where a run's stream stands, in the numbers of its ids: a page that comes back compares them with what
// it has.
const LOOK_BACK = 64;

async function streamPosition(journal: Journal, run: RunRecord) {
  const done = await endOf(journal, run);
  if (!done) {
    const { seq, last_event } = await newest(journal, run);
    // Its clients know a run that has not ended as running; one that has not begun is not that.
    const terminal_state = run.status === "queued" ? "queued" : "running";
    return { ...at(run, seq), last_event, terminal: false, terminal_state };
  }
  const { event: last_event, terminal_state, ...last } = streamEnd(done);
  const seq = webuiSeq({ ...last, event: last_event }, done);
  return { ...at(run, seq), last_event, terminal: true, terminal_state };
}

const at = ({ run_id }: RunRecord, seq: number) => ({
  last_seq: seq,
  last_event_id: windowId(run_id, seq),
});

/** The newest frame of a run that goes on. What an event is called needs only what came just before. */
async function newest(journal: Journal, { run_id, seq: head }: RunRecord) {
  const page = await journal.readRun(run_id, Math.max(0, head - LOOK_BACK), LOOK_BACK);
  const state = webuiDialect.begin();
  let last: { seq: number; last_event: string | null } = { seq: 0, last_event: null };
  for (const [, seq, body] of page?.rows ?? []) {
    const event = JSON.parse(body) as RunEvent;
    const emitted = encode(webuiDialect, event, state, { replay: true }).at(-1);
    if (emitted) last = { seq, last_event: emitted.event };
  }
  return last.seq === 0 ? { seq: page?.rows.at(-1)?.[1] ?? 0, last_event: null } : last;
}
