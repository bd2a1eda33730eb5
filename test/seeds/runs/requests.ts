// Goals, and everything a request to start a run may say.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, type Server } from "../../support/http.ts";
import * as page from "../../support/windows/webui.ts";
import { MODEL } from "./commands.ts";
import * as r from "./record.ts";
import type { Fields } from "./record.ts";

const answer = (server: Server, path: string, body: object) => page.ask(server, "POST", path, body);

export async function goal(server: Server) {
  const set = (args: string, more = {}) =>
    answer(server, "/api/goal", { session_id: "goal", args, ...more });
  await call(server, "POST", "/api/sessions", { session_id: "goal", model: MODEL });
  const none = await set("pause");
  const missing = await answer(server, "/api/goal", { session_id: "nobody", args: "status" });
  const only = await set("set be brief", { kickoff: false });
  const steps = [];
  for (const word of [
    "status",
    "pause",
    "pause",
    "resume",
    "edit be brief and kind",
    "clear",
    "clear",
  ]) {
    steps.push(await set(word));
  }
  const begun = await set("count to two");
  const id = String(begun.body["stream_id"]);
  await page.followChat(() => server, id);
  const native = await r.control(server, "/api/sessions/goal/goal", { action: "pause" });
  const v1 = await answer(server, "/v1/sessions/goal/goal", { action: "pause" });
  const updates = (await r.sessionEvents(server, "goal")).filter(
    ({ type }) => type === "goal.updated",
  );
  return {
    none,
    missing,
    only,
    steps,
    begun,
    run: await r.record(server, id),
    native,
    v1,
    updates,
  };
}

/** Everything a request may say, from three doors. */
export async function context(server: Server, workspace: string) {
  const folder = join(workspace, "ship");
  mkdirSync(folder);
  writeFileSync(join(folder, "name.txt"), "Vega\n");
  await call(server, "POST", "/api/projects", {
    project_id: "ship",
    name: "The ship",
    metadata: { masts: 3 },
  });
  const request = (session_id: string): Fields => ({
    session_id,
    message: "pace 0\nread name.txt\nremember the sail is red\nsay Read.",
    attachments: [{ name: "clip.webm", media_type: "audio/webm", bytes: 4096 }],
    workspace: folder,
    profile: "red",
    provider: "demo",
    model: "demo",
    toolsets: ["read", "memory"],
    source: "voice",
    metadata: { transcript_confidence: 0.9 },
  });
  const chat = await answer(server, "/api/chat/start", { ...request("ctx"), project_id: "ship" });
  const v1 = await answer(server, "/v1/runs", request("ctx-v1"));
  const native = await answer(server, "/api/runs", request("ctx-native"));
  const id = String(chat.body["stream_id"]);
  const ids = [String(v1.body["run_id"]), String((native.body["data"] as Fields)["run_id"])];
  await page.followChat(() => server, id);
  const others = [];
  for (const each of ids) {
    await page.followChat(() => server, each);
    others.push(await r.record(server, each));
  }
  const refused = {
    profile: await answer(server, "/api/chat/start", { ...request("no"), profile: "nobody" }),
    workspace: await answer(server, "/api/chat/start", {
      ...request("no"),
      workspace: `${folder}/none`,
    }),
    v1Profile: await answer(server, "/v1/runs", { ...request("no"), profile: "nobody" }),
  };
  return {
    folder,
    sent: request("ctx"),
    chat,
    v1,
    native,
    run: await r.record(server, id),
    others,
    refused,
  };
}
