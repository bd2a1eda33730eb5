// Sound and speech over the native API: what is there, what is refused, and that nothing leaves for anywhere else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startAudioEndpoint } from "../../../../test/support/servers/audio-endpoint.ts";
import { mediaOf } from "../../../../test/support/media-of.ts";
import { wav } from "../../../../test/support/sounds.ts";
import { until } from "../../../../test/support/until.ts";
import { MediaView, SpeechView, TranscriptionView } from "../records.ts";
import type { UploadedFile } from "../../../kernel/api/records/records.ts";
import { openFixture } from "../../../kernel/server/routes/test-support.ts";

type Fixture = Awaited<ReturnType<typeof openFixture>>;
const HEADERS = { authorization: `Bearer ${"t".repeat(43)}`, host: "localhost:80" };
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

async function upload({ app }: Fixture, name: string, payload: Buffer): Promise<UploadedFile> {
  const more = { "content-type": "application/octet-stream", "x-file-name": name };
  const headers = { ...HEADERS, ...more };
  const reply = await app.inject({ method: "POST", url: "/api/attachments", headers, payload });
  return (reply.json() as { data: UploadedFile }).data;
}

const fetched = ({ app }: Fixture, url: string, more: Record<string, string> = {}) =>
  app.inject({ method: "GET", url, headers: { ...HEADERS, ...more } });

test("[ME2a] where nobody said where it is done, that is told, and asking is refused by name", async () => {
  await using fixture = await openFixture();
  const { status, data } = await fixture.get<MediaView>("/api/media");
  assert.equal(status, 200);
  assert.deepEqual(data, {
    transcription: null,
    speech: null,
    max_bytes: 20_000_000,
    max_text: 4_096,
  });
  const { sha256 } = await upload(fixture, "a.wav", wav());
  const heard = await fixture.post("/api/media/transcribe", { sha256 });
  const said = await fixture.post("/api/media/speak", { text: "x" });
  assert.deepEqual([heard.status, heard.error.code], [409, "not_configured"]);
  assert.deepEqual(heard.error.details, { section: "media", setting: "transcription_url" });
  assert.deepEqual([said.status, said.error.code], [409, "not_configured"]);
  assert.match(said.error.message, /speech_url.*settings/);
});

test("[ME2, ME3, ME4] an upload is heard, a text is spoken, and both are contents with an address", async () => {
  await using endpoint = await startAudioEndpoint();
  const { baseUrl, origin } = endpoint;
  const settings = { transcription_url: baseUrl, speech_url: baseUrl, speech_voice: "ash" };
  await using fixture = await openFixture({ media: mediaOf(settings) });
  const view = (await fixture.get<MediaView>("/api/media")).data;
  assert.deepEqual(MediaView.strict().parse(view), view);
  assert.deepEqual(view.transcription, { model: "whisper-1", address: origin });
  assert.deepEqual(view.speech, { model: "tts-1", address: origin, voice: "ash" });

  const file = await upload(fixture, "../../etc/my voice.exe", wav());
  assert.deepEqual([file.media_type, file.name], ["audio/wav", "my voice.exe"]);
  const request = { sha256: file.sha256, language: "en" };
  const heard = await fixture.post<TranscriptionView>("/api/media/transcribe", request);
  assert.deepEqual(TranscriptionView.strict().parse(heard.data), heard.data);
  assert.equal(heard.data.text, `Heard ${file.bytes} bytes.`);
  assert.equal(endpoint.heard[0]?.file?.name, "recording.wav", "no name of somebody's disk");

  const said = await fixture.post<SpeechView>("/api/media/speak", {
    text: "Ahoy.",
    voice: "coral",
  });
  assert.deepEqual(SpeechView.strict().parse(said.data), said.data);
  assert.deepEqual([said.data.media_type, said.data.voice], ["audio/wav", "coral"]);
  assert.equal(endpoint.heard[1]?.fields["voice"], "coral");
  await fixture.post("/api/media/speak", { text: "Ahoy." });
  assert.equal(endpoint.heard[2]?.fields["voice"], "ash");
  const played = await fetched(fixture, said.data.url);
  assert.equal(played.headers["content-type"], "audio/wav");
  assert.match(String(played.headers["content-disposition"]), /^inline/);
  assert.equal(played.rawPayload.length, said.data.bytes);
  assert.deepEqual(await fixture.noted(), [], "nothing of the fixture changed");
});

test("[ME1a] a content is played or shown only as what its bytes say; everything else is a file", async () => {
  await using fixture = await openFixture();
  const at = async (name: string, body: Buffer) =>
    `/api/media/${(await upload(fixture, name, body)).sha256}`;
  const sound = await fetched(fixture, await at("a.html", wav()), { range: "bytes=0-3" });
  assert.equal(sound.statusCode, 206);
  assert.equal(sound.body, "RIFF");
  assert.equal(sound.headers["content-type"], "audio/wav");
  assert.match(String(sound.headers["content-disposition"]), /filename="[0-9a-f]{16}\.wav"/);
  const picture = await fetched(fixture, await at("b.txt", PNG));
  assert.equal(picture.headers["content-type"], "image/png");
  assert.match(String(picture.headers["content-disposition"]), /filename="[0-9a-f]{16}\.png"/);
  for (const [name, body] of [
    ["page.html", "<script>alert(1)</script>"],
    ["a.svg", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ["empty.wav", ""],
  ] as const) {
    const reply = await fetched(fixture, `${await at(name, Buffer.from(body))}?name=${name}`);
    assert.equal(reply.statusCode, 200, name);
    assert.equal(reply.headers["content-type"], "application/octet-stream", name);
    assert.match(String(reply.headers["content-disposition"]), /^attachment/, name);
    assert.equal(reply.headers["content-security-policy"], "sandbox; default-src 'none'");
  }
  const beyond = await fetched(fixture, await at("a.html", wav()), { range: "bytes=999999-" });
  assert.equal(beyond.statusCode, 416);
  for (const wrong of ["0".repeat(64), "..%2f..%2ftoken", "x"]) {
    assert.equal((await fetched(fixture, `/api/media/${wrong}`)).statusCode, 404, wrong);
  }
  const url = `/api/media/${"0".repeat(64)}`;
  const stranger = await fixture.app.inject({
    method: "GET",
    url,
    headers: { host: "localhost:80" },
  });
  assert.equal(stranger.statusCode, 401);
});

test("[ME3, ME4, ME5] what cannot be heard or said is refused before anything is sent, what fails is told", async () => {
  await using endpoint = await startAudioEndpoint();
  const { baseUrl } = endpoint;
  await using fixture = await openFixture({
    media: mediaOf({ transcription_url: baseUrl, speech_url: baseUrl }),
  });
  const text = (await upload(fixture, "a.mp3", Buffer.from("I am no sound"))).sha256;
  const refusals: [path: string, body: unknown, status: number, code: string][] = [
    ["transcribe", {}, 400, "invalid_request"],
    ["transcribe", { sha256: "../token" }, 400, "invalid_request"],
    ["transcribe", { sha256: "A".repeat(64) }, 400, "invalid_request"],
    ["transcribe", { sha256: text, file: "/etc/passwd" }, 400, "invalid_request"],
    ["transcribe", { sha256: text, language: "en-US; x" }, 400, "invalid_request"],
    ["transcribe", { sha256: "0".repeat(64) }, 404, "blob_not_found"],
    ["transcribe", { sha256: text }, 415, "unsupported_media_type"],
    ["transcribe", "{", 400, "invalid_json"],
    ["speak", {}, 400, "invalid_request"],
    ["speak", { text: " \n" }, 400, "invalid_request"],
    ["speak", { text: "x".repeat(4_097) }, 400, "invalid_request"],
    ["speak", { text: "x", voice: "../x" }, 400, "invalid_request"],
    ["speak", { text: "x", voice: "" }, 400, "invalid_request"],
  ];
  for (const [path, body, status, code] of refusals) {
    const reply = await fixture.post(`/api/media/${path}`, body);
    assert.deepEqual([reply.status, reply.error.code], [status, code], JSON.stringify(body));
  }
  assert.equal(endpoint.heard.length, 0);

  await using failing = await openFixture({
    media: mediaOf({ transcription_url: baseUrl, transcription_model: "busy" }),
  });
  const { sha256 } = await upload(failing, "a.wav", wav());
  const refused = await failing.post("/api/media/transcribe", { sha256 });
  assert.deepEqual([refused.status, refused.error.code], [502, "endpoint_failed"]);
  assert.equal(refused.error.details.reason, "rate_limited");
});

test("[ME5] few at once, and there is room again when they are over", async () => {
  await using endpoint = await startAudioEndpoint();
  const settings = { speech_url: endpoint.baseUrl, speech_model: "wait" };
  await using fixture = await openFixture({ media: mediaOf(settings) });
  const speak = (text: string) => fixture.post("/api/media/speak", { text });
  const first = ["a", "b", "c", "d"].map(speak);
  await until(() => endpoint.heard.length === 4, "four requests");
  const fifth = await speak("e");
  assert.deepEqual([fifth.status, fifth.error.code], [429, "rate_limited"]);
  endpoint.release();
  assert.deepEqual(
    (await Promise.all(first)).map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const again = speak("f");
  await until(() => endpoint.heard.length === 5, "a fifth request");
  endpoint.release();
  assert.equal((await again).status, 200);
});

test("[ME5] a key goes to the address it is for, and to the same origin it goes to anyway", async () => {
  await using endpoint = await startAudioEndpoint();
  await using other = await startAudioEndpoint();
  const asked = async (settings: object, env: Record<string, string>) => {
    const { speech } = mediaOf({ speech_url: endpoint.baseUrl, ...settings }, env);
    await speech?.speak({ text: "x", voice: "alloy" }, new AbortController().signal);
    return endpoint.heard.at(-1)?.headers.authorization;
  };
  assert.equal(await asked({}, { QUARTERDECK_SPEECH_KEY: "own" }), "Bearer own");
  const same = { base_url: `${endpoint.origin}/other` };
  assert.equal(await asked(same, { QUARTERDECK_API_KEY: "shared" }), "Bearer shared");
  const elsewhere = { base_url: other.baseUrl, base_urls: { openai: other.baseUrl } };
  const env = {
    QUARTERDECK_API_KEY: "not",
    OPENAI_API_KEY: "for",
    QUARTERDECK_TRANSCRIPTION_KEY: "it",
  };
  assert.equal(await asked(elsewhere, env), undefined);
  assert.throws(() => mediaOf({ speech_url: "http://me:secret@127.0.0.1/v1" }), /speech_url/);
  assert.throws(() => mediaOf({ speech_url: "file:///etc/passwd" }), /speech_url/);
});
