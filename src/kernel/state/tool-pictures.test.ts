import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_PICTURES, toolPictures } from "./tool-pictures.ts";

const sha256 = "0f".repeat(32);
const good = { sha256, bytes: 5, media_type: "image/jpeg" };

test("[R13] pictures of foreign tools are named; whatever is no picture is not", () => {
  const name = "mcp__draw__line";
  assert.deepEqual(toolPictures({ name, result: { images: [good] } }), [
    { ...good, name: "image-1.jpeg" },
  ]);
  const many = Array.from({ length: 20 }, () => good);
  assert.equal(toolPictures({ name, result: { images: many } }).length, MAX_PICTURES);
  for (const result of [
    null,
    "x",
    { images: "x" },
    { images: [null, 1, { ...good, sha256: "../x" }, { ...good, bytes: -1 }] },
    {
      images: [
        { ...good, media_type: "text/html" },
        { ...good, bytes: "5" },
      ],
    },
    { content: { images: [good] } },
    Object.create({ images: [good] }),
  ])
    assert.deepEqual(toolPictures({ name, result }), []);
  assert.deepEqual(toolPictures({ name: "exec", result: { images: [good] } }), []);
});
