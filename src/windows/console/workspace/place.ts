// Which workspace a request of the console means. With a `session_id` it is that session's, otherwise the default of
// new sessions. An effect needs a session; without one it is the console's own session of that workspace, where
// nothing blocks it.
import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { defaultsFor } from "../../../kernel/server/defaults.ts";
import {
  dataOf,
  onThisMachine,
  type Read,
} from "../../../kernel/server/workspace/workspace-reads.ts";
import { abortOnDisconnect } from "../../../kernel/server/disconnect.ts";
import { ConsoleError } from "../envelopes.ts";

type Named = { readonly session_id?: string | null | undefined };

export async function workspaceOf(deps: AppDeps, { session_id }: Named): Promise<string> {
  if (!session_id) return deps.defaults.workspace;
  const session = await deps.journal.reads.session(session_id);
  if (session) return session.workspace;
  throw new ConsoleError("session_not_found", "Session not found", { session_id });
}

export async function readingPlace(deps: AppDeps, named: Named, reply: FastifyReply) {
  const workspace = onThisMachine(await workspaceOf(deps, named), deps.volumes ?? {});
  return { workspace, signal: abortOnDisconnect(reply) };
}

/** The session an effect happens in. */
export async function effectSession(deps: AppDeps, named: Named): Promise<string> {
  const workspace = await workspaceOf(deps, named);
  if (named.session_id) return named.session_id;
  const { journal } = deps;
  const hash = createHash("sha256").update(workspace).digest("hex").slice(0, 12);
  const session_id = `console-workspace-${hash}`;
  const wanted = { session_id, workspace, title: "Console", source: "console" };
  const { status } = await journal.commands.createSession(
    wanted,
    await defaultsFor(deps, undefined),
  );
  if (status === "duplicate" && (await journal.reads.sessionSummary(session_id))?.deleted) {
    await journal.commands.updateSession(session_id, { deleted: false });
  }
  return session_id;
}

const ESCAPES = new Set(["outside_workspace", "protected", "io"]);
const NO_PATH = new Set(["is_directory", "not_regular", "not_text", "invalid_request"]);

/** What was read, or the console's own words for why not. */
export function found<Data>(read: Read<Data>, path: string): Data {
  if (read.ok) return read.data;
  const details = { path, reason: read.code };
  if (ESCAPES.has(read.code)) throw escapes(path, read.code);
  if (read.code === "not_found") throw new ConsoleError("path_not_found", read.message, details);
  if (NO_PATH.has(read.code)) throw new ConsoleError("invalid_path", read.message, details);
  return dataOf(read); // about the reader, or too much: as everywhere
}

export function escapes(path: string, reason = "outside_workspace"): ConsoleError {
  return new ConsoleError("invalid_path", "Path escapes the active workspace.", { path, reason });
}

/** Relative to the workspace; absolute ones count when they lie in it, as upstream's do. */
export function relativeTo(workspace: string, path: string): string {
  if (!path.startsWith("/")) return path;
  if (path === workspace) return ".";
  if (path.startsWith(`${workspace}/`)) return path.slice(workspace.length + 1) || ".";
  throw escapes(path);
}

/** Refusals of the journal in the console's words. */
export function asConsole(error: unknown): unknown {
  const reason = error instanceof ApiError && (error.details as { reason?: unknown })?.reason;
  if (reason !== "holds_secret") return error;
  return new ConsoleError("invalid_request", (error as ApiError).message, { reason });
}
