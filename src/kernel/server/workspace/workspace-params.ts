// What requests about a workspace have in common, in whichever window: until when somebody waits for the answer,
// and which paths are no business of a client's.
import type { FastifyReply } from "fastify";
import { isAbsolute } from "node:path";
import { ApiError } from "../../events/errors.ts";

/** Aborted when the client goes: nobody searches on for a page that was closed. */
export function whileWaitedFor(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}

/** The host would follow an absolute path into the workspace; a client has no business to know one. */
export function below(path: string): string {
  if (!isAbsolute(path)) return path;
  const reason = "outside_workspace";
  throw new ApiError("forbidden", "A path must be relative to the workspace.", { reason });
}
