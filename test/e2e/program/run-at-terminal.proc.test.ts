// `run` as a person at a terminal uses it: what it asks, what is an answer, and the keys that end it. A real
// program on a real pseudo-terminal.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { spawn } from "@lydell/node-pty";
import { call } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { MAIN, newTestHome, quarterdeck } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const place = newTestHome({ demo_delay_ms: 0 });
const program = await openPair(place);
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
const at = ["--home", place.home, "--workspace", place.workspace];
const [CTRL_C, CTRL_D] = ["\u0003", "\u0004"];

function atTerminal(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, "run", ...args, ...at], { cols: 40, rows: 24 });
  let shown = "";
  child.onData((chunk) => (shown += chunk));
  const ended = new Promise<number>((resolve) => child.onExit((event) => resolve(event.exitCode)));
  return {
    shown: () => shown,
    ended,
    shows: (text: RegExp) => until(() => text.test(shown), `${String(text)} in ${shown}`),
    type: (keys: string) => child.write(keys),
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}
const NO_STACK = /\bat .*:\d+:\d+|Error:/;

test("[A2] yes allows once, what is no answer is asked again, no denies and may say why", async () => {
  using allowed = atTerminal("exec echo it-was-done\nsay after");
  await allowed.shows(/Allow exec\?[^]*y once[^]*n deny[^]*> /);
  allowed.type("yep\r");
  await allowed.shows(/That is no answer to it\.[^]*Allow exec\?[^]*> /);
  allowed.type("y\r");
  assert.equal(await allowed.ended, 0);
  assert.doesNotMatch(allowed.shown(), /did not work/);

  using denied = atTerminal("exec echo never", "--session", "sess_denied");
  await denied.shows(/Allow exec\?[^]*> /);
  denied.type("n, not today\r");
  assert.equal(await denied.ended, 0);
  assert.match(denied.shown(), /did not work/);
});

test("a choice is answered by its number or its words, or in one's own", async () => {
  using asked = atTerminal("clarify Which? | Red | Blue", "--session", "sess_choice");
  await asked.shows(/Which\?[^]*1 Red · 2 Blue[^]*> /);
  asked.type("2\r");
  assert.equal(await asked.ended, 0);
  const exported = await quarterdeck([
    "export",
    "sess_choice",
    "--format",
    "json",
    "-o",
    "-",
    ...at,
  ]);
  assert.match(exported.stdout, /"clarify.resolved"[^\n]*"Blue"/);
});

test("[X7] Ctrl+C at a question stops the run; Ctrl+D leaves it waiting; neither is a crash", async () => {
  using stopped = atTerminal("exec echo never");
  await stopped.shows(/Allow exec\?[^]*> /);
  stopped.type(CTRL_C);
  assert.equal(await stopped.ended, 130, stopped.shown());
  assert.doesNotMatch(stopped.shown(), NO_STACK);

  using left = atTerminal("exec echo never", "--session", "sess_left");
  await left.shows(/Allow exec\?[^]*> /);
  left.type(CTRL_D);
  assert.equal(await left.ended, 4, left.shown());
  assert.doesNotMatch(left.shown(), NO_STACK);
  assert.match(left.shown(), /The run waits for an answer/);
});

test("[X8] what a subagent asks is asked here too, and without a terminal it is told", async () => {
  const script = "delegate Sub: exec echo from-below";
  const piped = await quarterdeck(["run", script, ...at]);
  assert.equal(piped.code, 4, piped.stderr);
  assert.match(piped.stderr, /echo from-below[^]*The run waits for an answer/);
  using asked = atTerminal(script);
  await asked.shows(/echo from-below[^]*y once[^]*> /);
  asked.type("yes\r");
  assert.equal(await asked.ended, 0, asked.shown());
});

test("[X1] answered in another window, the question here is over", async () => {
  using asked = atTerminal("exec echo elsewhere", "--session", "sess_elsewhere");
  await asked.shows(/Allow exec\?[^]*> /);
  type Inbox = { requests: { request_id: string; run_id: string; session_id: string }[] };
  const { body } = await call<Inbox>(program, "GET", "/api/inbox");
  const request = body.data.requests.find(({ session_id }) => session_id === "sess_elsewhere");
  const path = `/api/runs/${request?.run_id}/approvals/${request?.request_id}`;
  assert.equal((await call(program, "POST", path, { choice: "once" })).status, 202);
  assert.equal(await asked.ended, 0, asked.shown());
  assert.match(asked.shown(), /Answered elsewhere\./);
});
