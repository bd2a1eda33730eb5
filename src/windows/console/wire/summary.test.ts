// What came of a call in words that can be shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { summaryOf } from "./summary.ts";

const output = (head: string) => ({
  head,
  tail: "",
  bytes: head.length,
  sha256: null,
  truncated: false,
});
const NOTHING = { status: "completed", result: null, output: output(""), error: null } as const;
const FILE = { path: "a.txt", viewerPath: "a.txt" };

test("[W6] a summary says what came of a call, and is never JSON", () => {
  const cases: [given: object, said: string][] = [
    [{ result: { ok: true, matches: 12, files: 3 }, output: output("a.txt:1: x") }, "12 matches"],
    [{ result: { ok: true, matches: 1 } }, "1 match"],
    [{ result: { results: [{}, {}] } }, "2 results"],
    [{ result: { file: FILE, area: { startLine: 1, endLine: 4 } } }, "a.txt, lines 1 to 4"],
    [{ result: { file: FILE, bytes: 5 }, output: output("hello") }, "a.txt, 5 bytes"],
    [{ result: { ok: true, exit_code: 0 }, output: output(" M a.txt\n") }, "M a.txt"],
    [{ result: { ok: true, exit_code: 0 }, exit_code: 0 }, "exit code 0"],
    [{ result: { ok: true, process_id: "p_1" } }, "process p_1"],
    [{ result: { ok: true, plan_id: "p1", steps: 2, deep: {} } }, "plan id: p1, steps: 2"],
    [{ result: "left" }, "left"],
    [{ result: { ok: true } }, "completed"],
    [{}, "completed"],
    [{ status: "failed", error: { code: "x", message: "No such file" } }, "No such file"],
    [{ status: "denied", result: [1, 2] }, "denied"],
  ];
  for (const [given, said] of cases) {
    assert.equal(summaryOf({ ...NOTHING, exit_code: null, ...given }), said);
  }
});
