import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import { checkCursor, formatCursor, parseCursor, type LogHead } from "./cursor.ts";
import { ApiError } from "./errors.ts";

const head: LogHead = { logId: "r1", epoch: "e1", seq: 7 };
const session: LogHead = { logId: "terminal-dev:local:9", epoch: "e1", seq: 7 };

function follow(text: string, at: LogHead = head): number {
  const cursor = parseCursor(text, at);
  checkCursor(cursor, at);
  return cursor.seq;
}

function refused(text: string, at: LogHead = head): void {
  assert.throws(
    () => follow(text, at),
    (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, "cursor_invalid");
      assert.deepEqual(error.details, { epoch: at.epoch, head: at.seq, log: at.logId });
      return true;
    },
    text,
  );
}

test("[K1] a cursor is a number, a log and a number, or an epoch, a log and a number", () => {
  for (const text of ["3", "r1:3", "e1/r1:3", "e1/3"]) assert.equal(follow(text), 3, text);
  assert.equal(follow("0"), 0);
  assert.equal(follow("7"), 7);
  assert.equal(follow("terminal-dev:local:9:3", session), 3);
  assert.equal(follow("e1/terminal-dev:local:9:3", session), 3);
});

test("[K1] what is sent as an id comes back as a cursor", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,40}$/),
      fc.nat(),
      (logId, seq) => {
        assert.equal(follow(formatCursor(logId, seq), { logId, epoch: "e1", seq }), seq);
      },
    ),
  );
});

test("[K2] another log, beyond the head, another epoch: refused, with where the log is", () => {
  for (const text of ["r2:3", "r1x:3", "8", "r1:8", "e2/r1:3", "e2/r1:7"]) refused(text);
});

test("[K2] what is no cursor is refused, never rounded", () => {
  const broken = [
    "",
    " ",
    "-1",
    "r1:-1",
    "1.5",
    "1e3",
    "0x1",
    "r1:",
    ":3",
    "e1/",
    "3 ",
    " 3",
    "NaN",
  ];
  for (const text of [...broken, "3\n", "\n3", "9".repeat(16), "9".repeat(400), "r1:3:", "१"]) {
    refused(text);
  }
});

test("[K2a] no text is ever read as another position", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      try {
        const seq = follow(text);
        assert.ok(seq <= head.seq);
        assert.match(text, new RegExp(`^(e1/)?(r1:)?0*${seq}$`));
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
      }
    }),
    { numRuns: tries(2_000) },
  );
});
