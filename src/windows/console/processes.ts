// The console's background processes. Logs come from the journal, by lines; omitted output is a line of its own.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { ProcessRequest } from "../../kernel/journal/journal.ts";
import type { ProcessLogView, ProcessSummary } from "../../kernel/api/records/records.ts";
import { RunId, SessionId } from "../../kernel/events/ids.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import {
  findProcess,
  followLog,
  listProcesses,
} from "../../kernel/server/workspace/process-reads.ts";
import { abortOnDisconnect } from "../../kernel/server/disconnect.ts";
import { both, ConsoleError, keyOf, take } from "./envelopes.ts";
import { asConsole } from "./workspace/place.ts";

const FOLLOW_MS = 20_000;
const EVERYTHING = 4 << 20; // bytes of one log that are looked at

const whole = z
  .string()
  .regex(/^\d{1,9}$/, "a number")
  .transform(Number);
const List = z.object({ session_id: SessionId.optional() });
const Which = z.object({ run_id: RunId.optional(), session_id: SessionId.optional() });
const Log = Which.extend({
  offset: whole.optional(),
  limit: whole.refine((value) => value >= 1 && value <= 2_000, "1 to 2000").default(200),
  follow: z.enum(["0", "1", "true", "false", ""]).default("0"),
});
const Keys = z.looseObject({
  message_id: z.string().nullish(),
  client_message_id: z.string().nullish(),
  command_id: z.string().nullish(),
});
const Typed = z.string().max(65_536).nullish();
const Input = Keys.extend({
  data: Typed,
  text: Typed,
  input: Typed,
  submit: z.boolean().nullish(), // with the end of the line
  close: z.boolean().nullish(),
});

export function processPages(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/processes", async ({ query }) => {
      const { session_id } = take(List, query);
      if (session_id !== undefined && !(await journal.reads.session(session_id))) {
        throw new ConsoleError("session_not_found", "Session not found", { session_id });
      }
      const { processes, truncated } = await listProcesses(journal, session_id);
      return both({ processes: processes.map(summary), count: processes.length, truncated });
    });
    app.get("/processes/:processId/log", (request, reply) => log(deps, request, reply));
    app.post("/processes/:processId/kill", async (request) => {
      const body = take(Keys, request.body);
      return ask(deps, request, { action: "kill", ...keyed(body, request) });
    });
    app.post("/processes/:processId/input", async (request) => {
      const body = take(Input, request.body);
      const given = body.data ?? body.text ?? body.input;
      if (given === null || given === undefined) {
        throw new ConsoleError("invalid_input", "Say what to type: `data`.");
      }
      const text = body.submit ? `${given}\n` : given;
      const close = body.close === true;
      return ask(deps, request, { action: "input", text, close, ...keyed(body, request) });
    });
  };
}

function summary(process: ProcessSummary) {
  return { ...process, id: process.process_id, returncode: process.exit_code };
}

/** By its id among those that are listed; with `run_id` or `session_id` also what was long ago. */
async function wanted({ journal }: AppDeps, { params, query }: FastifyRequest) {
  const { processId } = params as { processId: string };
  const { run_id, session_id } = take(Which, query);
  const process =
    run_id === undefined
      ? (await listProcesses(journal, session_id)).processes.find(
          ({ process_id }) => process_id === processId,
        )
      : await findProcess(journal, { runId: run_id, processId });
  if (process) return process;
  throw new ConsoleError("process_not_found", "Process not found", {
    process_id: processId.slice(0, 100),
  });
}

async function log(deps: AppDeps, request: FastifyRequest, reply: FastifyReply) {
  const { offset, limit, follow } = take(Log, request.query);
  const process = await wanted(deps, request);
  const place = { runId: process.run_id, processId: process.process_id };
  const isFollowing = follow === "1" || follow === "true";
  const over = AbortSignal.any([abortOnDisconnect(reply), AbortSignal.timeout(FOLLOW_MS)]);
  const read = (from: number, signal: AbortSignal) =>
    followLog(deps.journal, place, { from, bytes: EVERYTHING }, signal);
  for (;;) {
    const view = (await read(0, AbortSignal.abort())) as ProcessLogView;
    const all = linesOf(view);
    const from = Math.min(offset ?? Math.max(0, all.length - limit), all.length);
    const lines = all.slice(from, from + limit);
    const isOver = view.process.status !== "running" || over.aborted;
    if (lines.length > 0 || !isFollowing || isOver) return answer(view, { all, from, lines });
    await read(view.next_offset, over);
  }
}

type Page = { readonly all: readonly string[]; readonly from: number; readonly lines: string[] };

function answer(view: ProcessLogView, { all, from, lines }: Page) {
  const next_offset = from + lines.length;
  return both({
    process: summary(view.process),
    process_id: view.process.process_id,
    status: view.process.status,
    log_lines: lines,
    output: lines.join("\n"),
    partial_line: view.process.status === "running" ? unfinished(view) : "",
    offset: from,
    next_offset,
    total_lines: all.length,
    truncated: next_offset < all.length,
  });
}

/** The last line may still grow: it counts when it was ended, or when the process is over. */
function linesOf(view: ProcessLogView): string[] {
  const lines = textOf(view).split("\n");
  const last = lines.pop() ?? "";
  return last !== "" && view.process.status !== "running" ? [...lines, last] : lines;
}

/** A prompt, for example. */
function unfinished(view: ProcessLogView): string {
  return textOf(view).split("\n").at(-1) ?? "";
}

function textOf({ pieces }: ProcessLogView): string {
  let text = "";
  let at = 0;
  for (const piece of pieces) {
    if (piece.offset > at) text += `\n[${piece.offset - at} bytes not kept]\n`;
    text += piece.text;
    at = piece.end;
  }
  return text;
}

function keyed(body: z.infer<typeof Keys>, request: FastifyRequest) {
  const key = keyOf(body, request);
  return key === undefined ? {} : { command_id: key };
}

async function ask(deps: AppDeps, request: FastifyRequest, toAsk: ProcessRequest) {
  const { process_id, run_id, session_id, status } = await wanted(deps, request);
  const about = { process_id, run_id, session_id };
  const ended = new ConsoleError("process_not_running", "The process has ended.", about);
  if (status !== "running") throw ended;
  const place = { runId: run_id, processId: process_id };
  const outcome = await deps.journal.commands.askProcess(place, toAsk).catch((error: unknown) => {
    throw asConsole(error);
  });
  if (!outcome?.accepted) throw ended;
  const result = { accepted: true, status: outcome.status, message: outcome.safe_message };
  return both({ ...about, result });
}
