// Sound and speech with the real program: over HTTP, through kills, with keys that were entered in the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MediaView, SpeechView } from "../../../src/features/voice/records.ts";
import { startAudioEndpoint } from "../../support/servers/audio-endpoint.ts";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openRaw } from "../../support/journal/raw.ts";

import { startServe } from "../../support/processes.ts";
import { openServer, openPair } from "../../support/pair.ts";
import { kill, newTestHome, startProgram } from "../../support/program.ts";
import { runInfo } from "../../support/runs.ts";
import { isSideQuestion, messagesIn, startAgent } from "../../support/models/scripted-agent.ts";
import { wav } from "../../support/sounds.ts";
import { until } from "../../support/until.ts";

const KEY = "sk-very-secret-0123456789";
type Media = { file_path: string; filename: string; content_type: string; size: number };

async function upload(server: Server, name: string, bytes: Uint8Array<ArrayBuffer>) {
  const body = new FormData();
  body.append("file", new Blob([bytes], { type: "video/mp4" }), name);
  const response = await fetch(`${server.url}/api/gui/media/upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}` },
    body,
  });
  const answer = (await response.json()) as { media: Media; error?: { code: string } };
  return { status: response.status, ...answer };
}

const gui = async (server: Server, path: string, body: object) =>
  (await call(server, "POST", `/api/gui/media/${path}`, body)).body as unknown as {
    ok: boolean;
    transcription?: { text: string };
    supported?: boolean;
  };

test("[ME3, ME6] an upload and its file_path survive kill -9, and the recording is heard after it", async () => {
  await using endpoint = await startAudioEndpoint();
  using place = newTestHome({ transcription_url: endpoint.baseUrl });
  const sound = Uint8Array.from(wav(2_000));
  let media: Media;
  {
    await using server = await startServe(place);
    const uploaded = await upload(server, "../a voice.wav", sound);
    assert.equal(uploaded.status, 200);
    ({ media } = uploaded);
    assert.deepEqual([media.filename, media.content_type], ["a voice.wav", "audio/wav"]);
    const large = await upload(server, "large.wav", new Uint8Array(20_000_001));
    assert.deepEqual([large.status, large.error?.code], [413, "too_large"]);
    kill(server.child.pid as number, "SIGKILL");
  }
  await using server = await openServer(place);
  const heard = await gui(server, "transcribe", { file_path: media.file_path });
  assert.equal(heard.transcription?.text, `Heard ${sound.length} bytes.`);
  const headers = { authorization: `Bearer ${server.token}` };
  const played = await fetch(`${server.url}${media.file_path}`, { headers });
  assert.equal(played.headers.get("content-type"), "audio/wav");
  assert.deepEqual(new Uint8Array(await played.arrayBuffer()), sound);
  const spoken = await gui(server, "tts", { text: "x" });
  assert.deepEqual([spoken.ok, spoken.supported], [true, false]);
});

test("[ME6, B2] an upload is cut off at the limit while it comes, and one that is cut off is no fault of ours", async () => {
  using place = newTestHome();
  await using server = await openServer(place);
  const { host } = new URL(server.url);
  const begin = (more: string) =>
    `POST /api/gui/media/upload HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${server.token}\r\n` +
    `content-type: multipart/form-data; boundary=x\r\n${more}\r\n\r\n`;
  using announced = openRaw(server.url);
  announced.write(begin("content-length: 30000000"));
  assert.equal((await announced.answer()).status, 413);
  using chunked = openRaw(server.url);
  chunked.write(begin("transfer-encoding: chunked"));
  const chunk = `${(1_000_000).toString(16)}\r\n${"x".repeat(1_000_000)}\r\n`;
  for (let sent = 0; sent <= 20; sent += 1) chunked.write(chunk); // never ends
  assert.equal((await chunked.answer()).status, 413);
  using cut = openRaw(server.url);
  cut.write(`${begin("content-length: 100")}--x\r\nhalf`);
  cut.socket.destroySoon();
  await cut.closed;
  assert.equal((await upload(server, "a.wav", Uint8Array.from(wav()))).status, 200);
  assert.ok(!server.output().includes("serve:"), server.output());
});

test("[ME5] whoever hangs up ends the asking; the server answers others meanwhile", async () => {
  await using endpoint = await startAudioEndpoint();
  using place = newTestHome({ speech_url: endpoint.baseUrl, speech_model: "never" });
  await using server = await openServer(place);
  const gone = new AbortController();
  const asked = fetch(`${server.url}/api/media/speak`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ text: "Ahoy." }),
    signal: gone.signal,
  });
  await until(() => endpoint.heard.length === 1, "the request");
  assert.equal((await call(server, "GET", "/api/media")).status, 200);
  gone.abort();
  await assert.rejects(asked);
  await until(() => endpoint.left() === 1, "the end of it");
});

test("[ME2, ME5, SE3] an endpoint and its key are set in the page, used after the restart, and the key stays with it", async () => {
  await using endpoint = await startAudioEndpoint();
  await using other = await startAudioEndpoint();
  using place = newTestHome();
  await using program = await startProgram(place);
  /** A change restarts the server: whoever meets that asks again. */
  const asked = <Reply>(ask: () => Promise<Reply>) =>
    until(() => ask().catch(() => undefined), "the server to be back");
  const change = (changes: object) =>
    asked(() => call(program, "POST", "/api/settings", { section: "media", changes }));
  const view = async () => (await call<MediaView>(program, "GET", "/api/media")).body.data;
  const speak = () => call<SpeechView>(program, "POST", "/api/media/speak", { text: "Ahoy." });
  const address = (wanted: string) =>
    until(async () => (await view().catch(() => null))?.speech?.address === wanted, wanted);
  const key = { name: "speech", value: KEY };
  const early = await call(program, "POST", "/api/settings/keys", key);
  assert.equal(early.body.error.code, "conflict", "an address first");
  assert.equal((await change({ speech_url: "nowhere" })).body.error.code, "invalid_request");
  assert.equal((await change({ speech_url: endpoint.baseUrl })).status, 200);
  const kept = await asked(() => call(program, "POST", "/api/settings/keys", key));
  assert.equal(kept.status, 200);
  await address(endpoint.origin);
  await until(async () => {
    const said = await speak().catch(() => null);
    return said?.status === 200 && endpoint.heard.at(-1)?.headers.authorization === `Bearer ${KEY}`;
  }, "the key to be used");

  await change({ speech_url: other.baseUrl });
  await address(other.origin);
  assert.equal((await asked(speak)).status, 200);
  assert.equal(other.heard.at(-1)?.headers.authorization, undefined, "another address gets no key");
  assert.ok(!program.output().includes(KEY));
});

test("[ME7] a recording goes to a model as words about it, never as something it cannot take", async () => {
  await using model = await startAgent([{ say: "I cannot hear." }]);
  using place = newTestHome({ base_url: model.baseUrl, model: "scripted/agent" });
  await using program = await openPair(place);
  const { media } = await upload(program, "note.wav", Uint8Array.from(wav()));
  const sha256 = media.file_path.split("/").at(-1);
  const file = { name: media.filename, media_type: media.content_type, sha256 };
  const run = await startRun(program, "listen", { attachments: [file] });
  await followRun(() => program, run.run_id);
  assert.equal((await runInfo(program, run.run_id)).status, "completed");
  const asked = model.requests.find((request) => !isSideQuestion(request));
  assert.ok(asked);
  const content = messagesIn(asked).findLast(({ role }) => role === "user")?.content;
  assert.match(JSON.stringify(content), /note\.wav, audio\/wav, .*: this model cannot hear it\]/);
  assert.ok(!JSON.stringify(asked).includes("input_audio"));
});
