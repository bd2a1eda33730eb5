// A turn as two clients see it: one hears all of it, the other loses its connection in the middle and comes again.
import { call, startRun } from "../../support/http.ts";
import type { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { freeSession, isEnvelope, listen, type Envelope, type Snapshot } from "../hud/world.ts";

export async function refreshing(program: Program) {
  using stays = listen(program, "/api/daemon/ws");
  using leaves = listen(program, "/api/daemon/ws");
  for (const { opened } of [stays, leaves]) await opened;
  const session_id = await freeSession(program);
  const heard = ({ frames }: typeof stays): readonly Envelope[] =>
    frames.filter(isEnvelope).filter(({ sessionId }) => sessionId === session_id);
  const has = (socket: typeof stays, method: string) =>
    heard(socket).some(({ event }) => event.method === method);
  const { run_id } = await startRun(program, "Go on for ever.", { session_id });
  await until(() => has(leaves, "stream.tool_use"), "the call");
  leaves.close();

  using comes = listen(program, "/api/daemon/ws");
  await comes.opened;
  comes.send({ method: "snapshot.request", params: { sessionId: session_id } });
  const isIt = ({ method }: { readonly method?: unknown }) => method === "snapshot.response";
  const answer = await until(() => comes.frames.find(isIt), "a snapshot");
  await call(program, "POST", `/api/runs/${run_id}/cancel`, {});
  const ended = (socket: typeof stays) => has(socket, "stream.turn_completed");
  await until(() => ended(stays) && ended(comes), "the end");
  const { events } = answer as unknown as Snapshot;
  return { stayed: heard(stays), refreshed: [...events, ...heard(comes)] };
}
