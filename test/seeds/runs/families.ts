// R16–R35: the event families.
import assert from "node:assert/strict";
import * as page from "../../support/windows/webui.ts";
import { has, only, row } from "./checks.ts";
import { contextOf, ofType, type Event, type Fields } from "./record.ts";
import type { RunsRow } from "./world.ts";

const firstOf = (events: readonly Event[], type: string): Fields | undefined =>
  ofType(events, type)[0];

export const RUNS_FAMILIES: readonly RunsRow[] = [
  row(
    16,
    "`run.started` has controls, workspace, profile, model and toolsets, and its session.",
    ({ full }) => {
      const started = full.events.find(({ type }) => type === "run.started");
      has(started?.payload, {
        workspace: "text",
        profile: "text",
        model: "text",
        toolsets: "list",
        controls: "list",
      });
      assert.equal(started?.["session_id"], "full");
    },
  ),
  row(17, "`status` has the lifecycle state and the controls available.", ({ full }) => {
    const states = ofType(full.events, "status");
    for (const [status, control] of [
      ["awaiting_approval", "approval"],
      ["awaiting_clarify", "clarify"],
    ] as const) {
      const emitted = states.find((state) => state["status"] === status);
      assert.match(JSON.stringify(emitted?.["controls"]), new RegExp(control));
    }
  }),
  row(18, "`token.delta` has a message id, the text and a content type.", ({ full }) => {
    for (const payload of ofType(full.events, "token.delta")) {
      has(payload, { message_id: "text", delta: "text" });
      assert.equal(payload["content_type"], "text");
    }
  }),
  row(
    19,
    "`reasoning.delta` and `reasoning.done` have a block id, the text and visibility.",
    ({ full }) => {
      const done = firstOf(full.events, "reasoning.done");
      assert.equal(done?.["text"], "Let me look.");
      for (const payload of [firstOf(full.events, "reasoning.delta"), done]) {
        has(payload, { reasoning_id: "text", visibility: "text" });
      }
    },
  ),
  row(20, "`progress` has a phase, a text and optional tool context.", ({ context }) => {
    const emitted = only(ofType(context.run.events, "progress"));
    assert.equal(emitted["phase"], "setup");
    has(emitted, { message: "text", call_id: "text|nothing" });
  }),
  row(
    21,
    "`tool.started` has the call's id, name, sanitized arguments and start time.",
    ({ full }) => {
      const started = full.events.find(({ type }) => type === "tool.started");
      has(started?.payload, { call_id: "text", name: "text", arguments: "object" });
      has(started, { created_at: "number" });
    },
  ),
  row(22, "`tool.updated` has stdout and stderr as they come.", ({ full }) => {
    const printed = ofType(full.events, "tool.updated");
    assert.deepEqual(printed.map(({ channel, delta }) => [channel, delta].join(": ")).toSorted(), [
      "stderr: err\n",
      "stdout: out\n",
    ]);
  }),
  row(23, "`tool.done` has the result, status, exit code and an error flag.", ({ full }) => {
    const done = firstOf(full.events, "tool.done");
    assert.deepEqual([done?.["status"], done?.["exit_code"], done?.["ok"]], ["failed", 3, false]);
    has(done, { result: "object" });
  }),
  row(24, "`tool.done` has the duration, also of a cancelled call.", ({ full, stoppedTool }) => {
    for (const { events } of [full, stoppedTool]) {
      assert.ok(Number(firstOf(events, "tool.done")?.["duration_ms"]) > 0);
    }
  }),
  row(
    25,
    "The output in `tool.done` is what the command printed.",
    ({ full }) => {
      const output = firstOf(full.events, "tool.done")?.["output"] as Fields;
      assert.deepEqual(String(output["head"]).split("\n").toSorted(), ["", "err", "out"]);
    },
    "Lines are whole and in order within stdout and within stderr. These are two pipes, so which of two lines was printed first across them cannot be known.",
  ),
  row(
    26,
    "`approval.requested` has an id, a summary of the action, risk and choices.",
    ({ full }) => {
      const asked = firstOf(full.events, "approval.requested");
      has(asked, {
        approval_id: "text",
        title: "text",
        prompt: "text",
        risk: "text",
        choices: "list",
      });
    },
  ),
  row(27, "`approval.resolved` has the id, the choice and the resulting status.", ({ full }) => {
    const { approval_id, choice, status } = only(ofType(full.events, "approval.resolved"));
    assert.deepEqual(
      [approval_id, choice, status],
      [full.atApproval["pending_approval_id"], "once", "approved"],
    );
  }),
  row(
    28,
    "`clarify.requested` has an id, the question, choices and the input mode.",
    ({ full }) => {
      const asked = only(ofType(full.events, "clarify.requested"));
      has(asked, { clarify_id: "text", question: "text", input_mode: "text" });
      assert.deepEqual(asked["choices"], ["left", "right"]);
    },
  ),
  row(29, "`clarify.resolved` has the id, the answer and its status.", ({ full }) => {
    const { clarify_id, response, status } = only(ofType(full.events, "clarify.resolved"));
    assert.deepEqual(
      [clarify_id, response, status],
      [full.atClarify["pending_clarify_id"], "left", "answered"],
    );
  }),
  row(30, "`title.updated` has the title and where it comes from.", ({ talk }) => {
    const { title, source } = only(ofType(talk.first.events, "title.updated"));
    assert.deepEqual([title, source], ["A fine title", "model"]);
  }),
  row(
    31,
    "`usage.updated` and `usage.final` have tokens, cost, provider, model and duration.",
    ({ full }) => {
      const tokens = { input_tokens: "number", output_tokens: "number", total_tokens: "number" };
      const about = {
        cost_usd: "number|nothing",
        provider: "text",
        model: "text",
        duration_ms: "number",
      };
      for (const type of ["usage.updated", "usage.final"]) {
        has(firstOf(full.events, type), { ...tokens, ...about });
      }
    },
  ),
  row(32, "`error` has a stable code and a safe message.", ({ failed }) => {
    const { code, message } = only(ofType(failed.events, "error"));
    assert.deepEqual([code, message], ["model_bad_request", "boom"]);
  }),
  row(
    33,
    "`error` has redacted diagnostics and a terminal flag.",
    ({ failed }) => {
      const error = failed.events.find(({ type }) => type === "error");
      assert.deepEqual([error?.payload["terminal"], error?.terminal], [true, false]);
      has(error?.payload["details"] as Fields, {
        model: "text",
        turn: "number",
        recoveries: "number",
      });
      const [emitted] = page.eventsNamed(failed.browser, "apperror");
      assert.equal(emitted?.["terminal"], true);
      has(emitted, { diagnostics: "object" });
    },
    "The flag is `payload.terminal`; the envelope's `terminal` stays false, because exactly one event of a run has it: the `done` that follows.",
  ),
  row(
    34,
    "`done` has the final state, usage, the result or error, and the last number.",
    ({ full, failed }) => {
      const [done, lost] = [full, failed].map(({ events }) => events.at(-1)?.payload);
      has(done, { usage: "object", result: "text", last_seq: "number" });
      assert.deepEqual([done?.["status"], done?.["last_seq"]], ["completed", full.events.length]);
      assert.deepEqual(lost?.["error"], { code: "model_bad_request", message: "boom" });
    },
  ),
  row(
    35,
    "The browser's stream has every family: partial output, results and exit codes, controls, title source.",
    ({ full, talk }) => {
      const printed = page.eventsNamed(full.browser, "tool_update").map(({ delta }) => delta);
      assert.deepEqual(printed.map(String).toSorted(), ["err\n", "out\n"]);
      const [done] = page.eventsNamed(full.browser, "tool_complete");
      has(done, { result: "object", output: "text" });
      assert.equal(done?.["exit_code"], 3);
      has(contextOf(full.browser, "run.started")[0], { controls: "list" });
      has(contextOf(full.browser, "status")[0], { controls: "list" });
      assert.equal(page.eventsNamed(talk.first.browser, "title")[0]?.["source"], "model");
      const emitted = full.v1.filter(({ data }) => data["event"] === "tool.updated");
      assert.equal(emitted.length, 2, "and so has /v1");
    },
    "Frames have the names its clients listen to (`token`, `tool`, `tool_complete`, `done` …); what they have no name for is `tool_update` or `context_status`.",
  ),
];
