// What models, tools and people said, printed by real commands on a real pseudo-terminal: the terminal obeys none of
// it, and what is asked for approval cannot be hidden. In a pipe every byte is as it was.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { spawn } from "@lydell/node-pty";
import { startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { MAIN, newTestHome, quarterdeck } from "../../support/program.ts";
import { runInfo } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const place = newTestHome({ demo_delay_ms: 0 });
const program = await openPair(place);
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
const at = ["--home", place.home, "--workspace", place.workspace];
const HOSTILE = [
  "\u001b]52;c;cm0gLXJmIH4=\u0007", // the clipboard
  "\u001b]0;title\u0007",
  "\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\",
  "\u001b[2J\u001b[H",
  "\u001bP$q\u001b\\",
  "\u009b31m\u009d0;x\u009c",
  "back\b\b bell\u0007",
  "\u202Ereordered\u202C",
  "\u001b[8m", // hides what follows
].join(" ");
/** Everything a terminal acts on but line breaks, which it is sent as CR LF. */
const ACTED_ON = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u;
const said = (shown: string) => shown.replaceAll("\r\n", "\n");

function atTerminal(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args, ...at], { cols: 400, rows: 24 });
  let shown = "";
  child.onData((chunk) => (shown += chunk));
  const ended = new Promise<number>((resolve) => child.onExit((event) => resolve(event.exitCode)));
  return {
    shown: () => shown,
    ended,
    type: (keys: string) => child.write(keys),
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}

async function printed(...args: string[]): Promise<string> {
  using terminal = atTerminal(...args);
  await terminal.ended;
  return said(terminal.shown());
}

test("[W10a, W10] finding A6: an answer steers no terminal, and the question after it is plainly seen", async () => {
  using run = atTerminal("run", `say ${HOSTILE}\nexec touch hidden-command`);
  await until(() => /Allow exec\?[^]*> /.test(run.shown()), "the question");
  const shown = said(run.shown());
  const [before, question] = [shown.split("\u001b")[0], shown.slice(shown.indexOf("\u001b"))];
  assert.ok(before !== undefined);
  assert.match(before, /\\u\{1b\}\]52;c;[^]*\\u\{1b\}\[8m/, "what was said is there, as text");
  assert.doesNotMatch(before, ACTED_ON);
  // The first thing that the terminal is told is to show what follows as it is.
  assert.match(
    question.replaceAll("\u001b", "ESC"),
    /^(?:ESC\[1G|ESC\[0J)*ESC\[0m\n?Allow exec\?\n {2}touch hidden-command\n/,
  );
  run.type("n\r");
  await run.ended;
});

test("[W10] finding A6: no command that prints what others said lets it act", async () => {
  const { run_id, session_id } = await startRun(program, `say ${HOSTILE}\nread ${HOSTILE}`);
  await until(
    async () => (await runInfo(program, run_id)).status === "completed",
    "the run to end",
  );
  const schedule = ["0 9 * * *", "hello", "--name", HOSTILE, "--allow-risky"];
  const named = await quarterdeck(["cron", "add", ...schedule, ...at]);
  assert.equal(named.code, 0, named.stderr);
  const commands = [
    ["replay", run_id, "--speed", "max"],
    ["replay", run_id, "--speed", "max", "--json"],
    ["export", session_id, "--format", "json", "-o", "-"],
    ["cron", "list"],
    ["run", `say ${HOSTILE}`, "--json"],
    ["replay", `no-such-run ${HOSTILE}`],
  ];
  for (const args of commands) {
    const shown = await printed(...args);
    assert.match(shown, /1b\}?\]52;c;/, `${args[0]}: it is there`);
    assert.doesNotMatch(shown, ACTED_ON, args.join(" "));
  }
});

test("[W10b] finding A6: in a pipe every byte is as it was said", async () => {
  const { stdout } = await quarterdeck(["run", `say ${HOSTILE}`, ...at]);
  assert.ok(stdout.includes(HOSTILE), JSON.stringify(stdout));
});
