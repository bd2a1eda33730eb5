import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { RecordingManifest } from "../../../kernel/events/recording-file.ts";
import { pageOf } from "./html.ts";

const MANIFEST = { title: "t", program: "1", exported_at: 1, without: [] } as unknown;

test("[Y4, B4] whoever goes away in the middle of a page leaves nothing open behind it", async () => {
  const left = Promise.withResolvers<string>();
  async function* lines() {
    try {
      for (;;) yield randomBytes(65_536).toString("base64");
    } finally {
      left.resolve("the source was left");
    }
  }
  const viewer = { script: "", style: "" };
  let chunks = 0;
  for await (const _chunk of pageOf(viewer, MANIFEST as RecordingManifest, lines())) {
    chunks += 1;
    if (chunks === 3) break;
  }
  assert.equal(await left.promise, "the source was left");
});

test("[Y4] a source that fails in the middle fails the page", async () => {
  async function* lines() {
    yield randomBytes(65_536).toString("base64");
    throw new Error("the session is gone");
  }
  const page = pageOf({ script: "", style: "" }, MANIFEST as RecordingManifest, lines());
  await assert.rejects(Array.fromAsync(page), /the session is gone/);
});
