// A session that a person steers: queue, undo, settings.
import { call } from "../http.ts";
import type { Scenario, Stage } from "./stage.ts";

const ECHOES = {
  one: [{ say: "You said one." }],
  two: [{ say: "You said two." }],
  three: [{ say: "You said three." }],
  uno: [{ say: "You said uno." }],
};

async function said(stage: Stage, text: string, session_id?: string) {
  const run = await stage.say(text, session_id === undefined ? {} : { session_id });
  await stage.ended(run.run_id);
  return run;
}

/** A steer that is edited, one that is withdrawn; a queue that is edited, reordered and shortened. */
const queue: Scenario = {
  lines: {
    "Begin.": [
      { say: "I wait for you.", calls: [["clarify", { question: "Shall I go on?" }]] },
      { say: "I go on." },
    ],
    "Faster!": [{ say: "Faster it is." }],
    a: [{ say: "That was a." }],
    "a, but better": [{ say: "That was a, but better." }],
    c: [{ say: "That was c." }],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Begin.");
    await stage.seen(run_id, '"clarify.requested"');
    const emit = (message: string, mode: string, message_id: string) =>
      stage.post(`/api/runs/${run_id}/messages`, { message, mode, message_id });
    const change = (id: string, message: string, text: string | null) =>
      stage.post(`/api/runs/${id}/messages/${message}`, { text });
    await emit("Slower!", "steer", "steer-1");
    await change(run_id, "steer-1", "Faster!");
    await emit("Forget this.", "steer", "steer-2");
    await change(run_id, "steer-2", null);
    const [a, b, c] = [
      await emit("a", "queue", "queue-a"),
      await emit("b", "queue", "queue-b"),
      await emit("c", "queue", "queue-c"),
    ].map((outcome) => outcome["run_id"] ?? "");
    await stage.post(`/api/runs/${c}/move`, { before: a });
    await change(a ?? "", "queue-a", "a, but better");
    await change(b ?? "", "queue-b", null);
    const { body } = await call<{ pending: { request_id: string }[] }>(
      stage,
      "GET",
      "/api/pending",
    );
    const [question] = body.data.pending;
    await stage.post(`/api/runs/${run_id}/clarifications/${question?.request_id}`, {
      response: "yes",
    });
    for (const id of [run_id, a, b, c]) await stage.ended(id ?? "");
    return session_id;
  },
};

/** Undo, retry and rerun. */
const rewind: Scenario = {
  lines: ECHOES,
  async play(stage) {
    const first = await said(stage, "one");
    const { session_id } = first;
    await said(stage, "two", session_id);
    await stage.post(`/api/sessions/${session_id}/undo`);
    await said(stage, "three", session_id);
    const retried = await stage.post(`/api/sessions/${session_id}/retry`);
    await stage.ended(retried["run_id"] ?? "");
    const rerun = await stage.post(`/api/runs/${first.run_id}/rerun`, { message: "uno" });
    await stage.ended(rerun["run_id"] ?? "");
    return session_id;
  },
};

/** A branched session: its first event names its history. */
const branch: Scenario = {
  lines: ECHOES,
  async play(stage) {
    const { session_id } = await said(stage, "one");
    const branched = await stage.post(`/api/sessions/${session_id}/branch`, { title: "Aside" });
    const id = branched["session_id"] ?? "";
    await said(stage, "two", id);
    return id;
  },
};

/** Renamed, switched to another model, set to yolo, and finally deleted. */
const settings: Scenario = {
  lines: {
    "Do it without asking.": [
      { calls: [["exec", { command: "echo done" }]] },
      { say: "Done without asking." },
    ],
  },
  async play(stage) {
    const { session_id = "" } = await stage.post("/api/sessions", { title: "Plain" });
    const set = (body: object) => stage.post(`/api/sessions/${session_id}/settings`, body);
    await stage.post(`/api/sessions/${session_id}/title`, { title: "A name of its own" });
    await set({ model: "scripted/other" });
    await set({ yolo: true });
    await said(stage, "Do it without asking.", session_id);
    await set({ yolo: false, permissions: [{ effect: "deny", tool: "exec" }] });
    await set({ deleted: true });
    return session_id;
  },
};

export const STEERING = { queue, rewind, branch, settings };
