// Files that come with a message, from the upload to what the provider receives.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { removeBlob, unfinishedBlobs } from "../../support/journal/raw-blobs.ts";
import { openRaw } from "../../support/journal/raw.ts";
import { answerQuestion, eventsOf, runInfo } from "../../support/runs.ts";
import { isSideQuestion, messagesIn, startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const MODEL = "scripted/agent";
type Uploaded = { sha256: string; bytes: number; media_type: string; name: string };
type Outcome = { status: string; run_id: string; session_id: string };

async function upload(server: Server, name: string, body: Buffer | string, headers = {}) {
  const response = await fetch(`${server.url}/api/attachments`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/octet-stream",
      "x-file-name": encodeURIComponent(name),
      ...headers,
    },
    body: Buffer.from(body),
  });
  const answer = (await response.json()) as { data: Uploaded; error: { code: string } };
  return { status: response.status, file: answer.data, code: answer.error?.code };
}

const finished = async (server: Server, runId: string) =>
  (await followRun(() => server, runId)).events;
const attachmentsOf = (events: Awaited<ReturnType<typeof finished>>) =>
  eventsOf(events, "message.user").map(({ payload }) => payload.attachments);

test("[C18a] a provider receives text as text and a picture as a picture", async () => {
  await using model = await startAgent([{ say: "I see." }]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const notes = (await upload(program, "notes ü.txt", "Ahoy!\n")).file;
  const picture = (await upload(program, "dot.png", PNG)).file;
  assert.deepEqual(notes, {
    sha256: createHash("sha256").update("Ahoy!\n").digest("hex"),
    bytes: 6,
    media_type: "text/plain",
    name: "notes ü.txt",
  });
  assert.equal(picture.media_type, "image/png");

  const run = await startRun(program, "what is this?", { attachments: [notes, picture] });
  const events = await finished(program, run.run_id);
  assert.deepEqual(attachmentsOf(events), [[notes, picture]]);
  const asked = model.requests.find((request) => !isSideQuestion(request));
  assert.ok(asked);
  const content = messagesIn(asked).findLast(({ role }) => role === "user")?.content;
  const mark = notes.sha256.slice(0, 16);
  const text = [
    "what is this?",
    `[attached file notes ü.txt, text/plain, 6 B, begins: ${mark}]\nAhoy!\n\n[attached file ends: ${mark}]`,
    `[attached: dot.png, image/png, ${PNG.length} B]`,
  ].join("\n\n");
  assert.deepEqual(content, [
    { type: "text", text },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PNG.toString("base64")}` } },
  ]);
});

test("[C17c, C12] steers, queued messages, retries, reruns and branches keep their files", async () => {
  using place = newTestHome({});
  await using program = await openPair(place);
  const file = (await upload(program, "a.txt", "A")).file;
  const post = async (path: string, body: object) =>
    (await call<Outcome>(program, "POST", path, body)).body.data;
  const { run_id, session_id } = await startRun(program, "clarify Go? | yes\nsay over");
  await until(async () => (await runInfo(program, run_id)).pending_clarify_id !== null);
  const sent = { attachments: [file] };
  await post(`/api/runs/${run_id}/messages`, { message: "by the way", mode: "steer", ...sent });
  const queued = await post(`/api/runs/${run_id}/messages`, { message: "say next", ...sent });
  await answerQuestion(program, run_id, "yes");
  assert.deepEqual(attachmentsOf(await finished(program, run_id)), [[], [file]]);
  assert.deepEqual(attachmentsOf(await finished(program, queued.run_id)), [[file]]);

  const again = await post(`/api/sessions/${session_id}/retry`, {});
  const retried = await finished(program, again.run_id);
  assert.deepEqual(attachmentsOf(retried), [[file]]);
  const said = eventsOf(retried, "message.completed").map(({ payload }) => payload.text);
  assert.match(said.join(""), /Noted: \[attached file a\.txt, text\/plain, 1 B\]/);
  const edited = await post(`/api/runs/${again.run_id}/rerun`, { message: "say other words" });
  assert.deepEqual(attachmentsOf(await finished(program, edited.run_id)), [[file]]);
  const branch = await post(`/api/sessions/${session_id}/branch`, { run_id: edited.run_id });
  const further = await startRun(program, "say in the branch", { session_id: branch.session_id });
  await finished(program, further.run_id);
});

test("[C18e, C18b, X6] a file that is gone is a line for the model, and the run ends as usual", async () => {
  await using model = await startAgent([{ say: "I see." }]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const { file } = await upload(program, "a.txt", "soon gone");
  const first = await startRun(program, "look", { attachments: [file] });
  await finished(program, first.run_id);
  await removeBlob(place, file.sha256);
  const second = await startRun(program, "again", { session_id: first.session_id });
  const events = await finished(program, second.run_id);
  assert.equal(eventsOf(events, "done")[0]?.payload.status, "completed");
  const asked = model.requests.findLast((request) => !isSideQuestion(request));
  assert.match(
    JSON.stringify(asked?.body),
    /a\.txt, text\/plain, 9 B: its content is no longer here/,
  );
});

test("[C17a] what was not uploaded, or is another file, is refused before anything is said", async () => {
  using place = newTestHome({});
  await using program = await openPair(place);
  const { file } = await upload(program, "a.txt", "A");
  const start = (attachments: unknown) =>
    call(program, "POST", "/api/runs", { message: "say x", session_id: "ses_1", attachments });
  const bad = [
    { ...file, sha256: "0".repeat(64) },
    { ...file, sha256: "../../token" },
    { ...file, bytes: 2 },
  ];
  for (const named of bad) {
    const { status, body } = await start([named]);
    assert.equal(status, 400);
    assert.equal(body.error.code, "invalid_request");
    assert.match(body.error.message, /attachments\.0: “a\.txt” (was not uploaded|has 1 bytes)/);
  }
  assert.equal((await start(Array.from({ length: 21 }, () => file))).status, 400);
  assert.equal(
    (await call(program, "GET", "/api/sessions/ses_1")).status,
    404,
    "nothing was begun",
  );
});

test("[H8, H8a, H8c, B2] uploads are capped while they come, sniffed, and need their type, their name and the proof", async () => {
  using place = newTestHome({});
  await using program = await openPair(place);
  const { host } = new URL(program.url);
  const begin = (more: string) =>
    `POST /api/attachments HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${program.token}\r\n` +
    `content-type: application/octet-stream\r\nx-file-name: big\r\n${more}\r\n\r\n`;
  {
    using announced = openRaw(program.url);
    announced.write(begin("content-length: 20000001"));
    assert.equal((await announced.answer()).status, 413);
    using chunked = openRaw(program.url);
    chunked.write(begin("transfer-encoding: chunked"));
    const chunk = `${(1_000_000).toString(16)}\r\n${"x".repeat(1_000_000)}\r\n`;
    for (let sent = 0; sent <= 20; sent += 1) chunked.write(chunk); // never ends
    assert.equal((await chunked.answer()).status, 413);
    using cut = openRaw(program.url);
    cut.write(`${begin("content-length: 100")}half`);
    cut.socket.destroySoon();
    await cut.closed;
  }
  await until(async () => (await unfinishedBlobs(place)).length === 0, "nothing half uploaded");
  assert.equal(
    (await upload(program, "x", Buffer.alloc(20_000_000, "x"))).status,
    200,
    "just fits",
  );

  // Who sends much more than fits is told so, not cut off while sending.
  const much = Buffer.alloc(120_000_000, "x");
  assert.equal((await upload(program, "x", much)).code, "too_large");
  const headers = {
    authorization: `Bearer ${program.token}`,
    "content-type": "application/octet-stream",
  };
  const imported = await fetch(`${program.url}/api/import`, {
    method: "POST",
    headers,
    body: much,
  });
  assert.equal(imported.status, 413);

  assert.equal((await upload(program, "photo.png", "<svg/>")).file.media_type, "text/plain");
  const late = Buffer.concat([Buffer.alloc(5_000, "a"), Buffer.from([0xff])]);
  assert.equal((await upload(program, "a.txt", late)).file.media_type, "application/octet-stream");
  assert.equal((await upload(program, "C:\\home\\a.txt", "")).file.name, "a.txt");
  assert.equal((await upload(program, "x", "y", { "x-file-name": "%zz" })).status, 400);
  assert.equal((await upload(program, "x".repeat(256), "y")).status, 400);
  assert.equal(
    (await upload(program, "x", "{}", { "content-type": "application/json" })).status,
    415,
  );
  assert.equal((await upload(program, "x", "y", { "content-type": "text/plain" })).status, 415);
  assert.equal((await upload(program, "x", "y", { authorization: "Bearer no" })).status, 401);
  assert.ok(!program.output().includes("serve:"), `it logged an error: ${program.output()}`);
});

test("[H8d, A2] a cookie alone uploads nothing, and a kept file comes back as an attachment", async () => {
  using place = newTestHome({});
  await using program = await openPair(place);
  const { stdout } = await quarterdeck(["token", "--link", "--home", place.home]);
  const code = /#login=(\S+)/.exec(stdout)?.[1];
  const login = await call<{ csrf: string }>(program, "POST", "/api/auth/login", { code });
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  const asPage = { authorization: "", cookie, origin: program.url };
  assert.equal((await upload(program, "a.html", "<script>", asPage)).code, "unauthorized");
  const proof = { ...asPage, "x-quarterdeck-csrf": login.body.data.csrf };
  const { file, status } = await upload(program, "a.html", "<script>", proof);
  assert.equal(status, 200);
  const evil = `${program.url}/api/blobs/${file.sha256}?name=${encodeURIComponent("../x\";\r\nset-cookie: a=b ü'.html")}`;
  const kept = await fetch(evil, { headers: { authorization: `Bearer ${program.token}` } });
  assert.equal(await kept.text(), "<script>");
  assert.equal(kept.headers.get("content-type"), "application/octet-stream");
  assert.equal(kept.headers.get("set-cookie"), null);
  assert.equal(
    kept.headers.get("content-disposition"),
    `attachment; filename="x____set-cookie_ a_b __.html"; filename*=UTF-8''x%22%3B%0D%0Aset-cookie%3A%20a%3Db%20%C3%BC%27.html`,
  );
  assert.match(kept.headers.get("content-security-policy") ?? "", /sandbox/);
});
