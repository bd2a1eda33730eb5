// What is done in the web console's world, in the order a person would: a message, answers to what it asks, a look at
// what runs; then a session that is busy, one whose exchange is taken back, and one with a file.
import assert from "node:assert/strict";
import type { Answer } from "../../support/http.ts";
import { until } from "../../support/until.ts";
import { ANSWER, CHOICES, SECRET, SEND } from "./script.ts";
import type { Console, Data, Seen } from "./world.ts";

export const SESSION = SEND.session_id;

export async function act(console_: Console) {
  const [inspected, nested, busy, again, attached, cron] = await Promise.all([
    inspect(console_),
    askBelow(console_),
    keepBusy(console_),
    takeBack(console_),
    attach(console_),
    schedule(console_),
  ]);
  const branched = (await console_.post(`/sessions/${SESSION}/branch`)).body.data;
  const sessions = (await console_.get("/sessions?limit=50")).body.data["sessions"] as Data[];
  return { ...inspected, nested, busy, again, attached, cron, branched, sessions };
}
export type Acted = Awaited<ReturnType<typeof act>>;

async function inspect(console_: Console) {
  const open = Promise.withResolvers<void>();
  const reading = console_.stream(SESSION, {
    limitMs: 60_000,
    until: ({ type }) => {
      open.resolve();
      return type === "run.completed";
    },
  });
  await open.promise; // before there is a session
  const sent = await console_.post("/chat/send", SEND);
  const runId = String(sent.body.data["run_id"]);
  const people = await answerAll(console_);
  const run = await console_.ended(runId);
  const live = (await reading).seen;
  const replay = await replayed(console_, live);
  const read = async (path: string) => (await console_.get(path)).body.data;
  const transcript = await read(`/sessions/${SESSION}/transcript`);
  return {
    sent,
    runId,
    run,
    ...people,
    live,
    replay,
    frames: replay.map(({ frame }) => frame),
    session: (await read(`/sessions/${SESSION}`))["session"] as Data,
    items: transcript["items"] as Data[],
    timeline: transcript["tool_timeline"] as Data[],
    checkpoints: (await read(`/workspace/checkpoints?session_id=${SESSION}`))[
      "checkpoints"
    ] as Data[],
  };
}

/** Everything once more, from the beginning. */
async function replayed({ stream }: Console, live: readonly Seen[]): Promise<Seen[]> {
  const last = live.at(-1)?.frame.id;
  const { seen } = await stream(`${SESSION}?history=1`, { until: ({ id }) => id === last });
  return seen.filter(({ frame }) => frame.type !== "ping");
}

/** Allows a command once, refuses one, allows one for the session, and answers the question. */
async function answerAll(console_: Console) {
  const approvals: Data[] = [];
  const answers: Answer[] = [];
  for (const [path, body] of [
    ["approve", { scope: "once" }],
    ["deny", {}],
    ["approve", { scope: "session" }],
  ] as const) {
    const request = await nextRequest(console_, "approval", approvals);
    approvals.push(request);
    const { request_id } = request;
    answers.push(await console_.post(`/human/${path}`, { request_id, ...body }));
  }
  const question = await nextRequest(console_, "clarify", approvals);
  const processes = await lookAtProcess(console_);
  const { request_id } = question;
  const response = CHOICES[1];
  const wrongKind = await console_.post("/human/approve", { request_id, scope: "once" });
  const clarified = await console_.post("/human/clarify", { request_id, response });
  const repeated = await console_.post("/human/clarify", { request_id, response });
  const late = await console_.post("/human/clarify", { request_id, response: "another" });
  return { approvals, answers, question, processes, clarified, wrongKind, repeated, late };
}

/** What a subagent wants to do is allowed for ever. */
async function askBelow(console_: Console) {
  const { post, ended } = console_;
  const { body } = await post("/chat/send", { session_id: "nested", message: "Let it ask." });
  const request = await nextRequest(console_, "approval", [], "nested");
  const { request_id } = request;
  const answer = await post("/human/approve", { request_id, scope: "always" });
  return { runId: body.data["run_id"], request, answer, run: await ended(body.data["run_id"]) };
}

/** What waits and is not among those that were answered already. */
async function nextRequest(
  { get }: Console,
  kind: string,
  answered: readonly Data[],
  session = SESSION,
) {
  const known = answered.map(({ request_id }) => request_id);
  return until(async () => {
    const { body } = await get(`/human/pending?session_id=${session}`);
    const pending = body.data["pending"] as Data[];
    return pending.find(
      (request) => request["kind"] === kind && !known.includes(request["request_id"]),
    );
  }, `the next ${kind}`);
}

/** The command in the background, while its run waits for an answer. */
async function lookAtProcess({ get, post }: Console) {
  const list = await get(`/processes?session_id=${SESSION}`);
  const [first] = list.body.data["processes"] as Data[];
  assert.ok(first, "a process");
  const path = `/processes/${String(first["process_id"])}`;
  await until(async () => {
    const { body } = await get(`${path}/log`);
    return (body.data["log_lines"] as string[]).length === 2;
  }, "two lines");
  const pages = [await get(`${path}/log?offset=0&limit=1`), await get(`${path}/log?offset=1`)];
  const killed = await post(`${path}/kill`);
  await until(async () => (await get(`${path}/log`)).body.data["status"] !== "running", "its end");
  return { list, first, pages, killed, again: await post(`${path}/kill`) };
}

/** A run that does not end by itself, a message behind it, and the stop of the first. */
async function keepBusy({ post, get, ended }: Console) {
  const send = (message: string) => post("/chat/send", { session_id: "busy", message });
  const first = await send("Wait here.");
  const second = await send(`Then say this: ${SECRET}`);
  const { run_id } = first.body.data;
  await until(async () => {
    const { body } = await get(`/chat/run/${String(run_id)}`);
    return (body.data["run"] as Data)["state"] === "running";
  }, "the run to go");
  const stop = await post("/chat/stop", { run_id });
  const firstEnd = await ended(run_id);
  const late = await post("/chat/stop", { run_id });
  const secondEnd = await ended(second.body.data["run_id"]);
  const { body } = await get("/sessions/busy/transcript");
  return { first, second, stop, late, firstEnd, secondEnd, transcript: body.data };
}

async function takeBack({ post, ended }: Console) {
  const target = { session_id: "again" };
  const first = await post("/chat/send", { ...target, message: "Say it." });
  await ended(first.body.data["run_id"]);
  const retried = await post("/chat/retry", target);
  await ended(retried.body.data["run_id"]);
  const undone = await post("/chat/undo", target);
  const nothing = await post("/chat/undo", target);
  return { first, retried, undone, nothing, nothingToRetry: await post("/chat/retry", target) };
}

async function attach({ server, post, ended }: Console) {
  const form = new FormData();
  form.append("file", new Blob([`${ANSWER}\n`], { type: "text/plain" }), "answer.txt");
  const uploaded = await fetch(`${server.url}/api/gui/media/upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}` },
    body: form,
  });
  const { data } = (await uploaded.json()) as { data: { media: Data } };
  const attachments = [data.media];
  const message = "Look at this.";
  const sent = await post("/chat/send", { session_id: "attached", message, attachments });
  await ended(sent.body.data["run_id"]);
  return { media: data.media, sent };
}

/** The document's own schedule, run once. */
export const CRON = {
  name: "Morning summary",
  prompt: "Summarize the latest issues.",
  schedule: "0 9 * * *",
  deliver: "telegram",
  skills: ["github-issues"],
};

async function schedule({ post, get }: Console) {
  const content = "# GitHub issues\n\nList them with gh.\n";
  const category = "github";
  await post("/skills/create", { name: "github-issues", category, content });
  const made = await post("/cron/jobs", CRON);
  const path = `/cron/jobs/${String((made.body.data["job"] as Data)["job_id"])}`;
  const ran = await post(`${path}/run`);
  const job = await until(async () => {
    const found = (await get(path)).body.data["job"] as Data;
    return found["last_run_at"] === null ? undefined : found;
  }, "its run");
  return { made, ran, job, readAt: new Date().toISOString() };
}
