import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { said } from "../../../../test/support/drafts.ts";
import { sealer } from "../hash-chain.ts";
import { lossOf, readMark, writeMark } from "./high-water-mark.ts";

const seal = sealer({ logId: "r1", sessionId: "s1", epoch: "e1" });
const event = (text: string) =>
  seal(said("m1", text), { seq: 1, sessionSeq: 1, at: "1", prevHash: "0".repeat(64) });
const { body, hash } = event("as acknowledged");
const mark = { epoch: "e1", events: 7, hash };

test("[J14a] a journal is behind, another one, missing, or holds what its mark says", () => {
  const held = (events: number, atMark?: string) => ({ events, atMark, hasBlobs: true });
  const reasonOf = (...given: Parameters<typeof lossOf>) => lossOf(...given)?.reason;
  assert.equal(reasonOf(mark, held(9, body)), undefined);
  assert.equal(reasonOf(mark, held(6)), "behind");
  assert.equal(reasonOf(mark, held(9, event("of another past").body)), "another");
  assert.equal(reasonOf(mark, held(0)), "missing");
  assert.equal(reasonOf(undefined, held(0)), "missing", "blobs without any event");
  assert.equal(reasonOf(undefined, { ...held(0), hasBlobs: false }), undefined, "a new home");
  assert.equal(reasonOf(undefined, held(9)), undefined, "of a release without marks");
  assert.equal(reasonOf({ ...mark, events: 0 }, held(0)), undefined, "uploads before any event");
  assert.equal(
    reasonOf(mark, held(9, body.replace("as", "is"))),
    undefined,
    "damage is told by reads",
  );
});

test("[J14] a mark that was not written by us is none", () => {
  const home = mkdtempSync(join(tmpdir(), "qd-mark-"));
  try {
    const path = join(home, "journal.mark");
    assert.equal(readMark(path), undefined);
    writeMark(path, { ...mark, events: 123_456 });
    writeMark(path, mark);
    assert.deepEqual(readMark(path), mark, "a shorter one leaves nothing of the longer");
    writeFileSync(path, readFileSync(path, "utf8").replace('"events":7', '"events":9'));
    assert.equal(readMark(path), undefined);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
