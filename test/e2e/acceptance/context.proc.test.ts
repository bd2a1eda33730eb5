// The acceptance catalogue of the run contract, third part: commands, and what a run is told of its
// session (model, workspace, profile, project, where the words came from). Real processes.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, type Server } from "../../support/http.ts";
import type { RecordedRequest } from "../../support/models/model-server.ts";
import { writeProfile } from "../../support/profiles.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { eventsOf, textOf } from "../../support/runs.ts";
import { isSideQuestion, messagesIn, startAgent } from "../../support/models/scripted-agent.ts";
import * as page from "../../support/windows/webui.ts";

const MODEL = "scripted/agent";
type Outcome = { status: string; run_id: string; session_id: string };

const post = async (program: Server, path: string, body: object = {}) =>
  (await call<Outcome>(program, "POST", path, body)).body.data;

async function say(program: Server, session: string, message: string, more = {}) {
  const started = await page.startChat(program, session, message, more);
  const emitted = await page.followChat(() => program, started.stream_id);
  return { ...started, emitted };
}

/** What models were told as the user's words, newest request last. */
const wordsTo = (requests: readonly RecordedRequest[]) =>
  requests
    .filter((request) => !isSideQuestion(request))
    .map((request) =>
      messagesIn(request)
        .filter(({ role }) => role === "user")
        .map(({ content }) => JSON.stringify(content)),
    );

const detailOf = (emitted: readonly page.Emitted[], kind: string) =>
  page
    .eventsNamed(emitted, "context_status")
    .filter((data) => data["kind"] === kind)
    .map(({ detail }) => detail as page.Fields)[0];

test("Slash commands: compress, branch, retry, undo, title, model and yolo mean in every window what they mean here [C9, C11, C12, C13, C14]", async () => {
  await using model = await startAgent(
    () => [{ say: "Heard." }],
    () => "SUMMARY: they greeted.",
  );
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const of = (name: string) => `/api/sessions/s1/${name}`;
  await say(program, "s1", "one", { model: MODEL });
  const second = await say(program, "s1", "two");

  assert.equal((await post(program, of("undo"))).status, "accepted");
  const third = await say(program, "s1", "three");
  assert.deepEqual(
    page.messagesIn(third.emitted).filter((line) => line.startsWith("user: ")),
    ["user: one", "user: three"],
  );
  assert.deepEqual(
    wordsTo(model.requests).at(-1)?.length,
    2,
    "what was undone is told to no model",
  );

  const again = await say(program, "s1", "ignored", { regenerate: true });
  assert.notEqual(again.stream_id, third.stream_id);
  assert.deepEqual(
    page.messagesIn(again.emitted).filter((line) => line.startsWith("user: ")),
    ["user: one", "user: three"],
  );

  const branch = await post(program, of("branch"), { session_id: "s1-branch" });
  const branched = await say(program, branch.session_id, "four");
  assert.deepEqual(
    page.messagesIn(branched.emitted).filter((line) => line.startsWith("user: ")),
    ["user: one", "user: three", "user: four"],
  );

  const command = await post(program, of("compress"));
  const compressed = await page.followChat(() => program, command.run_id);
  assert.equal(page.eventsNamed(compressed, "compressing").length, 1);
  const [done] = page.eventsNamed(compressed, "compressed");
  assert.equal(done?.["summary"], "SUMMARY: they greeted.");
  await say(program, "s1", "five");
  assert.match(JSON.stringify(wordsTo(model.requests).at(-1)), /SUMMARY: they greeted/);

  await post(program, of("title"), { title: "Greetings" });
  const titled = await say(program, "s1", "six");
  assert.equal(titled.title, "Greetings");
  await post(program, of("settings"), { yolo: true, model: "demo/demo" });
  const ran = await say(program, "s1", "pace 0\nexec echo ran > ran\nsay after");
  assert.deepEqual(page.eventsNamed(ran.emitted, "approval"), [], "nothing is asked any more");
  assert.equal(readFileSync(join(place.workspace, "ran"), "utf8"), "ran\n");
  assert.equal(ran.effective_model, "demo/demo");
  const kept = await page.watchChat(program, second.stream_id);
  assert.deepEqual(kept.emitted, second.emitted, "what was undone stays readable as it was");
});

test("Model switch mid-session: the next run goes to the other model, earlier ones keep theirs [C14, W1]", async () => {
  await using model = await startAgent([{ say: "Heard." }]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const first = await say(program, "s1", "one", { model: MODEL });
  const second = await say(program, "s1", "two", { model: "other", model_provider: "scripted" });
  const third = await say(program, "s1", "three");
  assert.deepEqual(
    [first, second, third].map(({ effective_model }) => effective_model),
    ["scripted/agent", "scripted/other", "scripted/other"],
  );
  const asked = model.requests.filter((request) => !isSideQuestion(request));
  assert.deepEqual(
    asked.map(({ body }) => body["model"]),
    ["agent", "other", "other"],
  );
  assert.equal(asked.at(-1) && messagesIn(asked.at(-1) as RecordedRequest).length, 6, "one past");
  assert.equal(detailOf(first.emitted, "run.started")?.["model"], "scripted/agent");
  const replay = await page.watchChat(program, first.stream_id);
  assert.deepEqual(replay.emitted, first.emitted);
});

test("Workspace context: a run works in the workspace it was started in, and knows what was attached [C15, W6]", async () => {
  using place = newTestHome();
  const ship = join(place.workspace, "ship");
  mkdirSync(ship);
  writeFileSync(join(ship, "name.txt"), "Vega\n");
  await using program = await openPair(place);
  const attachments = [
    { name: "map.png", path: join(ship, "map.png"), mime: "image/png", size: 7 },
  ];
  const script = "pace 0\nread name.txt\nwrite made.txt here\nsay done";
  const { emitted, stream_id } = await say(program, "s1", script, { workspace: ship, attachments });
  const [read] = page.eventsNamed(emitted, "tool_complete");
  assert.equal(read?.["preview"], "Vega");
  assert.equal(readFileSync(join(ship, "made.txt"), "utf8"), "here");
  const queued = detailOf(emitted, "run.queued");
  assert.equal(queued?.["workspace"], ship);
  assert.deepEqual(queued?.["metadata"], { attachment_paths: [join(ship, "map.png")] });
  const { events } = await followRun(() => program, stream_id);
  assert.deepEqual(eventsOf(events, "message.user")[0]?.payload.attachments, [
    { name: "map.png", media_type: "image/png", bytes: 7 },
  ]);
});

test("Multi-profile isolation: each profile's run reads and writes its own memory, and no other [R15]", async () => {
  const note = (text: string) => ({
    calls: [{ name: "memory", args: { action: "add", target: "memory", text } }],
  });
  await using model = await startAgent((request) => {
    const asked = JSON.stringify(messagesIn(request).findLast(({ role }) => role === "user"));
    const sail = /the sail is \w+/.exec(asked)?.[0];
    return sail ? [note(sail), { say: "Noted." }] : [{ say: "Aye." }];
  });
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  for (const name of ["red", "blue"]) writeProfile(place, name, { prompt: `You are ${name}.` });
  await using program = await openPair(place);
  const memory = (name: string) =>
    textOf(join(place.home, "profiles", name, "memory", "MEMORY.md"));
  for (const profile of ["red", "blue"]) {
    const message = `Remember: the sail is ${profile}.`;
    const { emitted } = await say(program, profile, message, { profile, model: MODEL });
    assert.equal(detailOf(emitted, "run.started")?.["profile"], profile);
    assert.match(memory(profile), new RegExp(`the sail is ${profile}`));
  }
  assert.doesNotMatch(memory("red"), /blue/);
  assert.doesNotMatch(memory("blue"), /red/);
  for (const profile of ["red", "blue", "default"]) {
    await say(program, `${profile}-later`, "Hello.", { profile, model: MODEL });
    const [system] = messagesIn(model.requests.at(-1) as RecordedRequest);
    const emitted = JSON.stringify(system).match(/the sail is \w+/g) ?? [];
    assert.deepEqual(emitted, profile === "default" ? [] : [`the sail is ${profile}`]);
  }
});

test("Voice mode: words that were spoken start the same run, told and stopped in the same way [W6]", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const script = "pace 0\nsay Aye.\ntodo one\nsay Heard.";
  const spoken = {
    source: "voice",
    attachments: [{ name: "clip.webm", mime: "audio/webm", size: 4_096 }],
    metadata: { transcript_confidence: 0.9 },
  };
  const typed = await say(program, "t", script);
  const voice = await say(program, "v", script, spoken);
  // How many tokens there are differs: the demo model says which files it was given.
  const kinds = (emitted: readonly page.Emitted[]) =>
    emitted.map(({ event }) => event).filter((kind, at, all) => kind !== all[at - 1]);
  assert.deepEqual(kinds(voice.emitted), kinds(typed.emitted));
  assert.deepEqual(
    Object.keys(voice)
      .filter((name) => name !== "told")
      .toSorted(),
    Object.keys(typed)
      .filter((name) => name !== "told")
      .toSorted(),
  );
  assert.equal(detailOf(voice.emitted, "run.queued")?.["source"], "voice");
  assert.deepEqual(detailOf(voice.emitted, "run.queued")?.["metadata"], {
    transcript_confidence: 0.9,
  });
  const long = await page.startChat(program, "v", "pace 10\ncount 5000", spoken);
  await page.watchChat(program, long.stream_id, { until: ({ event }) => event === "token" });
  await page.ask(program, "POST", "/api/chat/cancel", { stream_id: long.stream_id });
  const stopped = await page.followChat(() => program, long.stream_id);
  assert.equal(stopped.at(-2)?.event, "cancel");
});

test("Projects context: what a run was told of its project is in its stream, and stays so when the project changes [C15, W1]", async () => {
  await using model = await startAgent([{ say: "Aye." }]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const project = {
    project_id: "ship",
    name: "The ship",
    model: MODEL,
    instructions: "Mind the rigging.",
    metadata: { masts: 3 },
  };
  await post(program, "/api/projects", project);
  const first = await say(program, "s1", "go", { project_id: "ship" });
  await post(program, "/api/projects/ship", { metadata: { masts: 2 } });
  const second = await say(program, "s1", "again");
  const emitted = (frames: readonly page.Emitted[]) => detailOf(frames, "run.queued")?.["project"];
  const { model: _model, ...shown } = project;
  assert.deepEqual(emitted(first.emitted), shown);
  assert.deepEqual(emitted(second.emitted), { ...shown, metadata: { masts: 2 } });
  const replay = await page.watchChat(program, first.stream_id);
  assert.deepEqual(replay.emitted, first.emitted);
  const system = JSON.stringify(messagesIn(model.requests[0] as RecordedRequest)[0]);
  assert.match(system, /The ship.*masts: 3.*Mind the rigging/s);
});
