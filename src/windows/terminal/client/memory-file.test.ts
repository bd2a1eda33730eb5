import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openMemory } from "./memory-file.ts";

function folder() {
  const path = mkdtempSync(join(tmpdir(), "qd-"));
  const file = join(path, "terminal-p.json");
  return { file, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
const TURN = { messageId: "p-000003", text: "hello\nthere" };

test("[W8] what was saved is there again, for the same server", () => {
  using at = folder();
  const memory = openMemory(at.file, "local");
  assert.deepEqual(memory.memory, { counter: 0, inFlight: null });
  memory.save({ counter: 3, inFlight: TURN });
  assert.deepEqual(openMemory(at.file, "local").memory, { counter: 3, inFlight: TURN });
  for (const answers of [null, "ap_1"]) {
    memory.save({ counter: 3, inFlight: { ...TURN, answers } });
    assert.deepEqual(openMemory(at.file, "local").memory.inFlight, { ...TURN, answers });
  }
  assert.equal(statSync(at.file).mode & 0o777, 0o600);
  memory.save({ counter: 3, inFlight: null });
  assert.deepEqual(openMemory(at.file, "local").memory, { counter: 3, inFlight: null });
});

test("[W8] a turn that was meant for one server is not sent to another; the counter goes on", () => {
  using at = folder();
  openMemory(at.file, "ws://one/").save({ counter: 3, inFlight: TURN });
  assert.deepEqual(openMemory(at.file, "ws://two/").memory, { counter: 3, inFlight: null });
});

test("[W8] a file that is not ours is refused and left as it is", () => {
  using at = folder();
  for (const text of [
    "",
    "{",
    "7",
    "null",
    '{"counter":-1}',
    '{"counter":1.5}',
    '{"counter":1,"in_flight":{"text":"x"}}',
    '{"counter":1,"in_flight":{"message_id":"m","text":"x","to":"local","answers":7}}',
  ]) {
    writeFileSync(at.file, text);
    assert.throws(() => openMemory(at.file, "local"), text);
    assert.equal(readFileSync(at.file, "utf8"), text);
  }
});
