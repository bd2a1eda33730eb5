import assert from "node:assert/strict";
import { test } from "node:test";
import { mp4, wav, webm } from "../../../test/support/sounds.ts";
import { audioTypeOf } from "./audio-type.ts";
import { mediaTypeOf } from "./media-type.ts";

const of = (bytes: Buffer | string | readonly number[]) =>
  mediaTypeOf(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : Buffer.from(bytes), {
    whole: true,
  });

test("[ME1] sound is told by its first bytes", () => {
  assert.equal(of(wav()), "audio/wav");
  assert.equal(of("OggS\0\x02OpusHead"), "audio/ogg");
  assert.equal(of("fLaC\0\0\0\x22"), "audio/flac");
  assert.equal(of("ID3\x04\0\0\0\0\0\0"), "audio/mpeg");
  assert.equal(of([0xff, 0xfb, 0x90, 0x64]), "audio/mpeg");
  assert.equal(of([0xff, 0xf3, 0x40, 0xc4]), "audio/mpeg");
  assert.equal(of([0xff, 0xf1, 0x50, 0x80]), "audio/aac");
  assert.equal(of(webm("A_OPUS")), "audio/webm");
  assert.equal(of(mp4("M4A ")), "audio/mp4");
  assert.equal(of(mp4("iso5", "soun")), "audio/mp4");
});

test("[ME1] a film, a text and a picture are no sound, whatever they begin like", () => {
  const none = "application/octet-stream";
  assert.equal(of(webm("V_VP9", "A_OPUS")), none);
  assert.equal(of(webm()), none);
  assert.equal(of(mp4("isom", "vide", "soun")), none);
  assert.equal(of(mp4("isom")), none);
  assert.equal(of("OggS\0\x02\x80theora"), none);
  assert.equal(of("ID3 is a format for tags"), "text/plain");
  assert.equal(of([0xff, 0xfe, 0x61, 0x00]), none, "a text in UTF-16");
  assert.equal(of([0xff, 0xfb, 0xf0, 0x00]), none, "no such bitrate");
  assert.equal(of([0xff, 0xfb]), none);
  assert.equal(of([0xff, 0xd8, 0xff, 0xe0]), "image/jpeg");
  assert.equal(audioTypeOf(new Uint8Array()), undefined);
});
