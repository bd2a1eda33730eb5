// The console's uploads, transcriptions and speech: the shapes its client reads, and what a hostile one sends.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startAudioEndpoint } from "../../../test/support/servers/audio-endpoint.ts";
import { mediaOf } from "../../../test/support/media-of.ts";
import { wav } from "../../../test/support/sounds.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import { flat, openConsole } from "./test-support.ts";

const endpoint = await startAudioEndpoint();
const { baseUrl } = endpoint;
const here = await openConsole({
  media: mediaOf({ transcription_url: baseUrl, speech_url: baseUrl }),
});
after(async () => {
  await here[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

type Media = {
  file_path: string;
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
};
type Part = { name: string; filename?: string; type?: string; body: Buffer | string };

const BOUNDARY = "----formdata-7MA4YWxk";
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Two boundaries, of which the one that is read first has no part; and one that is spelled in two ways. */
const HIDDEN = `multipart/form-data; x="; boundary=none"; boundary=${BOUNDARY}`;
const ESCAPED = `multipart/form-data; boundary="${BOUNDARY.replace("f", "\\f")}"`;

/** By hand: a client's library would not write the hostile ones. */
function multipart(parts: readonly Part[]): Buffer {
  const written = parts.flatMap(({ name, filename, type, body }) => [
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"`),
    Buffer.from(filename === undefined ? "" : `; filename="${filename}"`),
    Buffer.from(type === undefined ? "" : `\r\ncontent-type: ${type}`),
    Buffer.from("\r\n\r\n"),
    Buffer.from(body),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

async function send(payload: Buffer, type = TYPE) {
  const reply = await here.app.inject({
    method: "POST",
    url: "/api/gui/media/upload",
    headers: { host: "localhost:80", authorization: `Bearer ${here.token}`, "content-type": type },
    payload,
  });
  const body = reply.json() as Record<string, unknown> & {
    error?: { code: string; message: string };
  };
  return { status: reply.statusCode, body, media: body["media"] as Media };
}

const kept = () =>
  readdirSync(join(here.store.home, "blobs"), { recursive: true }).map(String).toSorted();

const one = (filename: string, body: Buffer | string, type = "audio/wav") =>
  send(multipart([{ name: "file", filename, type, body }]));

test("[ME6, W6] an upload answers in both shapes, with an address of ours that can be fetched", async () => {
  const { status, body, media } = await one("note.wav", wav());
  assert.equal(status, 200);
  assert.deepEqual(body["data"], { media });
  const { file_path, filename, content_type, size } = media;
  assert.deepEqual([filename, content_type, size], ["note.wav", "audio/wav", wav().length]);
  assert.match(file_path, /^\/api\/media\/[0-9a-f]{64}$/);
  const headers = { host: "localhost:80", authorization: `Bearer ${here.token}` };
  const again = await here.app.inject({ method: "GET", url: file_path, headers });
  assert.deepEqual(again.rawPayload, wav());
  const form = await send(
    multipart([
      { name: "note", body: "a field beside it" },
      { name: "file", filename: "a.txt", body: "words" },
    ]),
  );
  assert.equal(form.media.content_type, "text/plain");
});

test("[ME6] what an upload answered can be attached to a message as it is", async () => {
  const { sha256: _emitted, ...media } = (await one("note.wav", wav())).media;
  const sent = await here.post("/chat/send", { prompt: "listen", attachments: [media] });
  assert.equal(sent.http, 200);
  const events = await s.runEvents(here.journal, String(sent.data["run_id"]));
  const said = events.find(({ type }) => type === "message.user");
  const sha256 = media.file_path.split("/").at(-1);
  assert.ok(said);
  assert.deepEqual((said.payload as { attachments: unknown }).attachments, [
    { name: "note.wav", media_type: "audio/wav", sha256, bytes: media.size },
  ]);
  const gone = { ...media, file_path: `/api/media/${"0".repeat(64)}` };
  const refused = await here.post("/chat/send", { prompt: "listen", attachments: [gone] });
  assert.equal(refused.http, 400);
  const own = { filename: "b.wav", file_path: "/home/me/b.wav" };
  const emitted = await here.post("/chat/send", { prompt: "listen", attachments: [own] });
  assert.equal(emitted.http, 200, "a client's own file is only told of");
});

test("[ME1, ME6] a name is only the end of a path, and the bytes say what it is", async () => {
  for (const [given, kept] of [
    ["../../../etc/passwd", "passwd"],
    ["C:\\\\secret\\\\a.wav", "a.wav"],
    ["/abs/olute.wav", "olute.wav"],
    ["..", ".."],
  ] as const) {
    const { status, media } = await one(given, "plain words", "audio/wav");
    assert.equal(status, 200, given);
    assert.deepEqual([media.filename, media.content_type], [kept, "text/plain"], given);
    assert.ok(!JSON.stringify(media).includes(here.store.home));
  }
});

test("[ME6, B1] hostile uploads are refused in words, and nothing of them is kept", async () => {
  const field = { name: "file", filename: "a.wav", body: wav() };
  const many = Array.from({ length: 10_000 }, (_, at) => ({ name: `f${at}`, body: "x" }));
  const bad: [what: string, payload: Buffer, type: string, status: number, code: string][] = [
    ["no boundary", multipart([field]), "multipart/form-data", 400, "invalid_request"],
    [
      "another boundary",
      multipart([field]),
      "multipart/form-data; boundary=x",
      400,
      "invalid_request",
    ],
    ["no end", multipart([field]).subarray(0, -10), TYPE, 400, "invalid_request"],
    ["no parts", Buffer.from("no form at all"), TYPE, 400, "invalid_request"],
    ["an empty body", Buffer.alloc(0), TYPE, 400, "invalid_request"],
    ["another field", multipart([{ ...field, name: "upload" }]), TYPE, 400, "missing_file"],
    [
      "a field that is no file",
      multipart([{ name: "file", body: "x" }]),
      TYPE,
      400,
      "missing_file",
    ],
    ["two files", multipart([field, field]), TYPE, 400, "invalid_request"],
    ["a second file", multipart([field, { ...field, name: "x" }]), TYPE, 400, "invalid_request"],
    ["10,000 parts", multipart([field, ...many]), TYPE, 400, "invalid_request"],
    ["10,000 parts, hidden", multipart([field, ...many]), HIDDEN, 400, "invalid_request"],
    ["10,000 parts, escaped", multipart([field, ...many]), ESCAPED, 400, "invalid_request"],
    ["no name", multipart([{ ...field, filename: "" }]), TYPE, 400, "missing_file"],
    [
      "a long name",
      multipart([{ ...field, filename: "x".repeat(300) }]),
      TYPE,
      400,
      "missing_file",
    ],
    [
      "a name of dots and slashes",
      multipart([{ ...field, filename: "../" }]),
      TYPE,
      400,
      "missing_file",
    ],
    [
      "a name with a NUL",
      multipart([{ ...field, filename: "a\0.wav" }]),
      TYPE,
      400,
      "missing_file",
    ],
    ["JSON", Buffer.from("{}"), "application/json", 415, "unsupported_media_type"],
    ["a raw file", wav(), "application/octet-stream", 415, "unsupported_media_type"],
    ["too much", multipart([{ ...field, body: Buffer.alloc(20_000_001) }]), TYPE, 413, "too_large"],
    ["far too much", Buffer.alloc(20_100_000), TYPE, 413, "too_large"],
  ];
  const before = kept();
  for (const [what, payload, type, status, code] of bad) {
    const { status: answered, body } = await send(payload, type);
    assert.deepEqual([answered, body.error?.code], [status, code], what);
    assert.ok((body.error?.message ?? "").length > 5, what);
  }
  assert.deepEqual(kept(), before);
  const twenty = Array.from({ length: 19 }, (_, at) => ({ name: `f${at}`, body: "x" }));
  assert.equal((await send(multipart([field, ...twenty]))).status, 200);
  const head = multipart([{ ...field, type: `audio/wav; x="${"y".repeat(100_000)}"` }]);
  assert.equal((await send(head)).status, 200, "a long head is only long");
});

test("[ME3, ME4, W6] transcriptions and speech in both shapes", async () => {
  const { media } = await one("note.wav", wav());
  const { file_path } = media;
  for (const path of [file_path, file_path.replace("media", "blobs"), file_path.slice(11)]) {
    const heard = await here.post("/media/transcribe", { file_path: path });
    const transcription = {
      text: `Heard ${wav().length} bytes.`,
      language: "en",
      duration: 1.5,
      model: "whisper-1",
    };
    assert.deepEqual(heard.data, { transcription });
    assert.deepEqual(flat(heard), { transcription });
  }
  const said = await here.post("/media/tts", { text: "Ahoy.", voice: "coral" });
  const { tts } = said.data as { tts: Media & { voice: string } };
  assert.match(tts.file_path, /^\/api\/media\/[0-9a-f]{64}$/);
  assert.deepEqual(
    [tts.filename, tts.content_type, tts.voice],
    ["speech.wav", "audio/wav", "coral"],
  );
  assert.deepEqual(flat(said), { tts });
  const meta = (await here.get("/meta")).data["features"] as Record<string, boolean>;
  assert.deepEqual(
    [meta["media"], meta["transcription"], meta["tts"], meta["voice"]],
    [true, true, true, true],
  );
});

test("[ME6, S] only an address of ours is heard, and every refusal has its code", async () => {
  const asked = endpoint.heard.length;
  const text = (await one("a.wav", "no sound")).media.file_path;
  const bad: [path: string, body: unknown, status: number, code: string][] = [
    ["transcribe", {}, 400, "invalid_path"],
    ["transcribe", { file_path: "/etc/passwd" }, 400, "invalid_path"],
    ["transcribe", { file_path: "http://127.0.0.1/api/media/x" }, 400, "invalid_path"],
    ["transcribe", { file_path: `/api/media/../blobs/${"0".repeat(64)}` }, 400, "invalid_path"],
    ["transcribe", { file_path: `${here.store.home}/token` }, 400, "invalid_path"],
    ["transcribe", { file_path: 7 }, 400, "invalid_path"],
    ["transcribe", { file_path: "0".repeat(64) }, 404, "blob_not_found"],
    ["transcribe", { file_path: text }, 415, "unsupported_media_type"],
    ["transcribe", { file_path: text, language: "../" }, 400, "invalid_request"],
    ["tts", {}, 400, "missing_text"],
    ["tts", { text: "  " }, 400, "missing_text"],
    ["tts", { text: "x".repeat(4_097) }, 400, "missing_text"],
    ["tts", { text: "x", voice: "a b" }, 400, "invalid_request"],
    ["tts", [], 400, "invalid_json"],
    ["tts", "{", 400, "invalid_json"],
  ];
  for (const [path, body, status, code] of bad) {
    const reply = await here.post(`/media/${path}`, body);
    const emitted = reply.error["reason"] ?? reply.error.code;
    assert.deepEqual([reply.http, emitted], [status, code], JSON.stringify(body));
  }
  assert.equal(endpoint.heard.length, asked, "nothing was sent");
  await using failing = await openConsole({
    media: mediaOf({ speech_url: baseUrl, speech_model: "denied" }),
  });
  const denied = await failing.post("/media/tts", { text: "x" });
  assert.deepEqual([denied.http, denied.error.code], [502, "endpoint_failed"]);
  assert.equal(denied.error["reason"], "unauthorized");
});

test("[ME2a, W6] where nobody said where it is done, the capability envelope says how to say it", async () => {
  await using bare = await openConsole();
  for (const [path, reason, setting] of [
    ["/media/transcribe", "transcription_not_configured", "transcription_url"],
    ["/media/tts", "tts_not_configured", "speech_url"],
  ] as const) {
    const reply = await bare.post(path, { file_path: "x", text: "x" });
    assert.equal(reply.http, 200, path);
    const { supported, reason: emitted, details } = reply.data as Record<string, unknown>;
    assert.deepEqual([supported, emitted], [false, reason]);
    const about = details as Record<string, string>;
    assert.deepEqual([about["namespace"], about["setting"]], ["media", setting]);
    assert.match(about["how"] ?? "", /settings, section Voice/);
  }
  const meta = (await bare.get("/meta")).data["features"] as Record<string, boolean>;
  assert.deepEqual([meta["media"], meta["voice"]], [true, false]);
});
