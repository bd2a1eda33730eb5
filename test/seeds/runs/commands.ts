// Slash commands sent as messages through every window, and runs of a scripted model whose requests can be looked at.
import { call, type Server } from "../../support/http.ts";
import type { ModelServer } from "../../support/models/model-server.ts";
import { isSideQuestion, messagesIn, startAgent } from "../../support/models/scripted-agent.ts";
import * as page from "../../support/windows/webui.ts";
import * as r from "./record.ts";
import type { Fields } from "./record.ts";

export const MODEL = "scripted/agent";

/** Says one sentence; gives titles, summaries and judgements when it is asked aside. */
export function scriptedModel(): Promise<ModelServer> {
  return startAgent([{ say: "Heard." }], (request) => {
    const asked = JSON.stringify(request.body);
    if (asked.includes("decision")) return JSON.stringify({ decision: "met", reason: "it is" });
    return asked.includes("title") ? "A fine title" : "SUMMARY: they greeted.";
  });
}

async function ended(server: Server, id: string): Promise<r.Recorded> {
  await page.followChat(() => server, id);
  return r.record(server, id);
}

async function say(server: Server, session: string, message: string, more: object = {}) {
  const { stream_id } = await page.startChat(server, session, message, more);
  return ended(server, stream_id);
}

/** What the model was told in its newest request that was no side question. */
const newestOf = ({ requests }: ModelServer) => requests.findLast((each) => !isSideQuestion(each));

export async function talk(server: Server, model: ModelServer) {
  const first = await say(server, "talk", "one", { model: MODEL });
  const second = await say(server, "talk", "two", { model: "other", model_provider: "scripted" });
  const asked = model.requests
    .filter((each) => !isSideQuestion(each))
    .map(({ body }) => body["model"]);
  const tools = newestOf(model)?.body["tools"] as { function: { name: string } }[];
  await say(server, "narrow", "three", { model: MODEL, toolsets: ["read"] });
  const narrowed = newestOf(model)?.body["tools"] as { function: { name: string } }[];
  await r.control(server, "/api/sessions/talk/title", { title: "By hand" });
  const renamed = await say(server, "talk", "four");
  const names = (list: { function: { name: string } }[]) => list.map((tool) => tool.function.name);
  return { first, second, renamed, asked, tools: names(tools), narrowed: names(narrowed) };
}

/** Two profiles remember different things; a third is told neither. */
export async function profiles(server: Server, model: ModelServer) {
  const emitted: Record<string, string> = {};
  for (const profile of ["red", "blue", "default"]) {
    const more = { model: MODEL, profile };
    await say(server, `profile-${profile}`, "Hello.", more);
    const newest = newestOf(model);
    emitted[profile] = newest ? JSON.stringify(messagesIn(newest)) : "";
  }
  return emitted;
}

/** What a run that is over at once says, whichever window its command came from. */
async function answerTo(server: Server, id: unknown) {
  const run = await ended(server, String(id));
  return { run, said: run.status["result"], types: run.events.map(({ type }) => type) };
}

export async function commands(server: Server, model: ModelServer) {
  const list = await page.ask<{ commands: Fields[] }>(server, "GET", "/api/commands");
  await say(server, "slash", "one", { model: MODEL });
  await say(server, "slash", "two");
  const chat = async (message: string) =>
    (await page.startChat(server, "slash", message)).stream_id;
  const undone = await answerTo(server, await chat("/undo"));
  const compressed = await ended(server, await chat("/compress the greeting"));
  const retried = await ended(server, await chat("/retry"));
  const unknown = await ended(server, await chat("/deploy now"));
  const send = await page.ask(server, "POST", "/api/gui/chat/send", {
    session_id: "slash",
    message: "/title By the console",
  });
  const v1 = await page.ask(server, "POST", "/v1/runs", { session_id: "slash", input: "/branch" });
  const native = await call(server, "POST", "/api/runs", { session_id: "slash", message: "/goal" });
  const completion = await page.ask(
    server,
    "POST",
    "/v1/chat/completions",
    { model: MODEL, messages: [{ role: "user", content: "/help" }] },
    { "x-hermes-session-id": "slash" },
  );
  const emitted = newestOf(model);
  const busy = await page.startChat(server, "slash-busy", "pace 0\nexec true\nsay After.");
  await r.untilStatus(server, busy.stream_id, "awaiting_approval");
  const queued = await page.startChat(server, "slash-busy", "/queue pace 0\nsay Queued.");
  const stopped = await answerTo(
    server,
    (await page.startChat(server, "slash-busy", "/stop")).stream_id,
  );
  return {
    list,
    undone,
    compressed,
    retried,
    unknown,
    send: await answerTo(server, send.body["run_id"]),
    v1: await answerTo(server, v1.body["run_id"]),
    native: await answerTo(server, native.body.data["run_id"]),
    completion,
    emitted: emitted ? JSON.stringify(messagesIn(emitted)) : "",
    queued: await ended(server, queued.stream_id),
    stopped,
    cancelled: await ended(server, busy.stream_id),
  };
}
