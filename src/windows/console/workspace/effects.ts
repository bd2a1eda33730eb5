// Saving, running and rolling back from the console. Each is a direct run of a session, so it is journaled,
// checkpointed and confined; the response waits a while for its end and otherwise gives its status.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { SessionId } from "../../../kernel/events/ids.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { SAVE_BODY } from "../../../kernel/api/routes/workspace.ts";
import { saveContent } from "../../../kernel/server/workspace/save-content.ts";
import { WorkspacePath } from "../../../kernel/api/workspace-queries.ts";
import { both, ConsoleError, keyOf, take } from "../envelopes.ts";
import { directEnd, type DirectEnd } from "../wait-for-run.ts";
import { changesOf, noCheckpoint, runOfCheckpoint } from "./checkpoints.ts";
import { asConsole, effectSession, escapes, relativeTo, workspaceOf } from "./place.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";

const keys = {
  message_id: z.string().nullish(),
  client_message_id: z.string().nullish(),
  command_id: z.string().nullish(),
  session_id: SessionId.nullish(),
  wait_s: z.number().min(0).max(25).optional(), // how long the answer may wait for the result
};
const Save = z.looseObject({
  ...keys,
  path: WorkspacePath.or(z.literal("")).nullish(),
  content: z.string().max(1_048_576, "at most 1 MiB"),
  expected_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullish(),
});
const Exec = z.looseObject({
  ...keys,
  command: z.string().min(1).max(32_768),
  cwd: WorkspacePath.nullish(),
});
const RollBack = z.looseObject({
  ...keys,
  checkpoint_id: z.string().max(300).nullish(),
  path: WorkspacePath.nullish(),
  file_path: WorkspacePath.nullish(),
});

export function workspaceEffectPages(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.post("/workspace/file/save", { bodyLimit: SAVE_BODY }, (request, reply) =>
      save(deps, request, reply),
    );
    app.post("/workspace/exec", (request, reply) => exec(deps, request, reply));
    app.post("/workspace/rollback", (request, reply) => rollBack(deps, request, reply));
  };
}

async function save(deps: AppDeps, request: FastifyRequest, reply: FastifyReply) {
  const asked = take(Save, request.body);
  const { path: given, content, expected_sha256: expect } = asked;
  if (!given) throw new ConsoleError("missing_path", "Say which file: `path`.");
  const path = relativeTo(await workspaceOf(deps, asked), given);
  const session_id = await effectSession(deps, asked);
  const manual = { path, content, ...(expect && { expect }), ...keyed(asked, request) };
  const runId = taken(await refusable(() => saveContent(deps.journal, session_id, manual)));
  const end = await directEnd(deps.journal, runId, { reply, wait_s: asked.wait_s });
  const about = { path, session_id, run_id: runId, status: end.status };
  if (!end.run) return both({ ...about, saved: false, pending: true });
  if (end.call?.status !== "completed") throw notSaved(path, end);
  const { bytes, sha256, created } = end.call.result as Saved;
  const checkpoint_id = end.call.checkpointId;
  const file = { path, size: bytes, sha256, created };
  return both({ ...about, saved: true, size: bytes, sha256, checkpoint_id, file });
}

type Saved = { readonly bytes: number; readonly sha256: string; readonly created: boolean };

function notSaved(path: string, { call, run }: DirectEnd): ConsoleError {
  const { code = run?.status ?? "failed", message = "It was not saved." } = call?.error ?? {};
  if (code === "outside_workspace" || code === "protected") return escapes(path, code);
  const details = { path, reason: code };
  if (code === "is_directory" || code === "not_regular") {
    return new ConsoleError("invalid_path", message, details);
  }
  if (code === "denied") return new ConsoleError("command_denied", message, details);
  const conflict = code === "conflict";
  return new ConsoleError(conflict ? "save_conflict" : "save_failed", message, details);
}

async function exec(deps: AppDeps, request: FastifyRequest, reply: FastifyReply) {
  const asked = take(Exec, request.body);
  const { command } = asked;
  if (command.includes("\0")) {
    throw new ConsoleError("invalid_command", "command: holds a NUL character");
  }
  const workspace = await workspaceOf(deps, asked);
  const cwd = asked.cwd ? relativeTo(workspace, asked.cwd) : undefined;
  const session_id = await effectSession(deps, asked);
  const manual = { command, ...(cwd !== undefined && { cwd }), ...keyed(asked, request) };
  const runId = taken(await refusable(() => deps.journal.commands.runCommand(session_id, manual)));
  const end = await directEnd(deps.journal, runId, { reply, wait_s: asked.wait_s });
  if (end.call?.status === "denied") {
    const message = end.call.error?.message ?? "It is not allowed.";
    throw new ConsoleError("command_denied", message, { session_id, run_id: runId });
  }
  const printed = await printedBy(deps.journal, runId);
  return both({
    cwd: cwd === undefined || cwd === "." ? workspace : `${workspace}/${cwd}`,
    ...printed,
    output: [...linesOf(printed.stdout), ...linesOf(printed.stderr)], // what the real client prints
    returncode: end.call?.exitCode ?? null,
    running: !end.run,
    status: end.status,
    error: end.call?.error ?? null,
    session_id,
    run_id: runId,
  });
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

async function rollBack(deps: AppDeps, request: FastifyRequest, reply: FastifyReply) {
  const { journal } = deps;
  const asked = take(RollBack, request.body);
  const { checkpoint_id } = asked;
  if (!checkpoint_id) {
    throw new ConsoleError("missing_checkpoint_id", "Say which one: `checkpoint_id`.");
  }
  const run = await journal.reads.run(runOfCheckpoint(checkpoint_id) ?? "");
  const [first] = run ? await changesOf(journal, checkpoint_id) : [];
  if (!run || !first) throw noCheckpoint(checkpoint_id);
  const given = asked.path ?? asked.file_path;
  const path = given ? relativeTo(first.workspace, given) : undefined;
  const { session_id } = run;
  if (asked.session_id && asked.session_id !== session_id) {
    const message = "The checkpoint belongs to another session.";
    throw new ConsoleError("invalid_rollback", message, { session_id, checkpoint_id });
  }
  const manual = { checkpoint_id, ...(path !== undefined && { paths: [path] }) };
  const outcome = await journal.commands.rollback(session_id, {
    ...manual,
    ...keyed(asked, request),
  });
  if (outcome?.status === "not_active") {
    const message = "The checkpoint has no such file.";
    throw new ConsoleError("invalid_rollback", message, { checkpoint_id, path: path ?? null });
  }
  const runId = taken(outcome);
  const end = await directEnd(journal, runId, { reply, wait_s: asked.wait_s });
  const about = { checkpoint_id, path: path ?? null, session_id, run_id: runId };
  if (!end.run) return both({ ...about, status: end.status, pending: true, result: null });
  if (end.call?.status !== "completed") {
    const result = (end.call?.result ?? null) as z.core.util.JSONType;
    const message = end.call?.error?.message ?? "Nothing was rolled back.";
    throw new ConsoleError("rollback_failed", message, { ...about, result });
  }
  return both({
    ...about,
    status: end.status,
    result: { success: true, ...(end.call.result as object) },
  });
}

function keyed(asked: Parameters<typeof keyOf>[0], request: FastifyRequest) {
  const key = keyOf(asked, request);
  return key === undefined ? {} : { command_id: key };
}

async function refusable<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw asConsole(error);
  }
}

function taken(outcome: Outcome | undefined): string {
  if (!outcome) throw new ConsoleError("session_not_found", "Session not found");
  const { accepted, run_id, session_id, safe_message } = outcome;
  if (accepted && run_id !== null) return run_id;
  throw new ConsoleError("queue_full", safe_message, { session_id });
}

// What a direct command printed, each stream by itself: its call has them together. Bounded from the end.
const PAGE = 200;
const MAX = 262_144; // characters of one stream

async function printedBy(journal: Journal, runId: string) {
  const streams = { stdout: "", stderr: "" };
  let truncated = false;
  for (let after = 0; ;) {
    const page = await journal.readRun(runId, after, PAGE);
    for (const [seq, , body] of page?.rows ?? []) {
      after = seq;
      const event = JSON.parse(body) as RunEvent;
      if (event.type === "tool.done") truncated ||= event.payload.output.truncated;
      if (event.type !== "tool.updated" || event.payload.channel === "progress") continue;
      const { channel, delta } = event.payload;
      const whole = streams[channel] + delta;
      truncated ||= whole.length > MAX;
      streams[channel] = whole.slice(-MAX);
    }
    if (!page || page.rows.length < PAGE) return { ...streams, truncated };
  }
}
