// Both directions against a real endpoint on this machine, good and bad.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startAudioEndpoint } from "../../../../test/support/servers/audio-endpoint.ts";
import { wav } from "../../../../test/support/sounds.ts";
import { until } from "../../../../test/support/until.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { speak } from "./speak.ts";
import { transcribe } from "./transcribe.ts";

const KEY = "sk-very-secret-0123456789";
const sound = wav();
const recording = { bytes: Uint8Array.from(sound), type: "audio/wav" } as const;
const { signal } = new AbortController();

const at = (url: string, model: string, timeoutMs = 5_000) => ({ url, model, timeoutMs, key: KEY });
const words = { text: "Ahoy.", voice: "alloy" };

test("[ME3] a recording is sent as OpenAI's endpoint takes it, named by what it is", async () => {
  await using endpoint = await startAudioEndpoint();
  const options = { language: "de", signal };
  const answer = await transcribe(at(`${endpoint.baseUrl}/`, "whisper-1"), recording, options);
  assert.deepEqual(answer, { text: `Heard ${sound.length} bytes.`, language: "en", duration: 1.5 });
  const [heard] = endpoint.heard;
  assert.equal(heard?.path, "/v1/audio/transcriptions");
  assert.equal(heard?.headers.authorization, `Bearer ${KEY}`);
  assert.deepEqual(heard?.fields, {
    model: "whisper-1",
    response_format: "json",
    language: "de",
  });
  assert.deepEqual(heard?.file, { name: "recording.wav", type: "audio/wav", bytes: sound });
});

test("[ME4] a text is sent as OpenAI's endpoint takes it, and what comes must be sound", async () => {
  await using endpoint = await startAudioEndpoint();
  const said = await speak({ ...at(endpoint.baseUrl, "tts-1"), key: undefined }, words, signal);
  assert.equal(said.type, "audio/wav", "by its bytes, not as the endpoint calls it");
  const [heard] = endpoint.heard;
  assert.equal(heard?.path, "/v1/audio/speech");
  assert.equal(heard?.headers.authorization, undefined);
  assert.deepEqual(heard?.fields, {
    model: "tts-1",
    input: "Ahoy.",
    voice: "alloy",
    response_format: "mp3",
  });
});

const BAD: readonly [model: string, reason: string, words: RegExp][] = [
  ["cut", "unreachable", /cannot be reached/],
  ["huge", "too_large", /larger than/],
  ["html", "bad_answer", /its answer is no/],
  ["empty", "bad_answer", /its answer is no/],
  ["words", "bad_answer", /its answer is no/],
  ["denied", "unauthorized", /answers 401: Bad key Bearer \[key\]/],
  ["busy", "rate_limited", /answers 429: Slow down/],
  ["broken", "refused", /answers 500\./],
  ["redirect", "redirected", /points elsewhere/],
];

test("[ME5] an endpoint that does badly is an error in words, without the key, and a redirect gets nothing", async () => {
  await using other = await startAudioEndpoint();
  await using endpoint = await startAudioEndpoint(`${other.baseUrl}/audio/speech`);
  for (const [model, reason, emitted] of BAD) {
    for (const ask of [
      () => transcribe(at(endpoint.baseUrl, model), recording, { signal }),
      () => speak(at(endpoint.baseUrl, model), words, signal),
    ]) {
      await assert.rejects(ask, (error) => {
        assert.ok(error instanceof ApiError, String(error));
        assert.equal(error.code, "endpoint_failed", model);
        assert.deepEqual(error.details, { reason }, model);
        assert.match(error.message, emitted);
        assert.ok(!JSON.stringify([error.message, error.details]).includes(KEY));
        return true;
      });
    }
  }
  assert.equal(other.heard.length, 0, "nobody followed the redirect");
  await other[Symbol.asyncDispose]();
  const nobody = at(other.baseUrl, "x");
  await assert.rejects(speak(nobody, words, signal), /cannot be reached \(ECONNREFUSED\)/);
});

test("[ME5] one that never answers is given up, and whoever goes away is not waited for", async () => {
  await using endpoint = await startAudioEndpoint();
  const silent = at(endpoint.baseUrl, "never", 100);
  await assert.rejects(
    transcribe(silent, recording, { signal }),
    (error) => error instanceof ApiError && JSON.stringify(error.details).includes("timeout"),
  );
  const left = new AbortController();
  const asked = speak(at(endpoint.baseUrl, "never", 60_000), words, left.signal);
  await until(() => endpoint.heard.length === 2, "the request");
  left.abort(new Error("gone"));
  await assert.rejects(asked, /gone/);
});
