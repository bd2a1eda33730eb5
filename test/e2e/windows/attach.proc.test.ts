// `attach` as a person uses it: keys in, lines out, against the real program.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { attach } from "../../../src/cli/attach/attach.ts";
import { createApi } from "../../../src/kernel/client/api.ts";
import { call, startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { approve } from "../../support/runs.ts";
import { newScreen } from "../../support/windows/screen.ts";
import { startTcpProxy } from "../../support/servers/tcp-proxy.ts";
import { until } from "../../support/until.ts";

const target = { port: 0 }; // known when the program is there, which has to know the network's
const network = await startTcpProxy(target);
const place = newTestHome({ demo_delay_ms: 0, allowed_hosts: [`127.0.0.1:${network.port}`] });
const program = await openPair(place, { apart: ["serve"] });
target.port = Number(new URL(program.url).port);
after(async () => {
  await network[Symbol.asyncDispose]();
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const ENTER = "\r";
const CTRL_C = "\u0003";
const ESCAPE = "\u001b";
const TAB = "\t";
const BACKSPACE = "\u007f";
const UP = "\u001b[A";
const TERMINAL = new Set(["completed", "cancelled", "failed"]);

/** Keys come faster here than anybody reads. */
async function attached(sessionId: string, { base = program.url, readMs = 0 } = {}) {
  await call(program, "POST", "/api/sessions", { session_id: sessionId });
  const credentials = { kind: "bearer", token: program.token } as const;
  const api = createApi({ base, credentials });
  const screen = newScreen();
  const left = attach({ api, sessionId, terminal: screen, newId: randomUUID, readMs });
  const shows = (text: string | RegExp) =>
    until(
      () => (typeof text === "string" ? screen.text().includes(text) : text.test(screen.text())),
      `the screen to show ${String(text)}`,
    );
  const say = (text: string) => {
    for (const char of text) screen.type(char);
    screen.type(ENTER);
  };
  const leave = async () => {
    screen.type(CTRL_C);
    await left;
  };
  return { screen, shows, say, [Symbol.asyncDispose]: leave };
}

type Session = {
  session: { title: string; goal: unknown };
  runs: { run_id: string; status: string }[];
};
const sessionOf = async (id: string) =>
  (await call<Session>(program, "GET", `/api/sessions/${id}`)).body.data;

test("[V1] what is typed is said, and answers, tools and thinking are drawn", async () => {
  await using window = await attached("attach-1");
  await window.shows("Nothing was said yet.");
  await window.shows("● live");
  // The demo model takes one line here: the editor sends at Enter.
  window.say("say Hello from the terminal.");
  await window.shows("> say Hello");
  await window.shows("Hello from the terminal.");
  await startRun(program, "think Hm, a file.\nread nothing.txt\nsay Read it.", {
    session_id: "attach-1",
  });
  await window.shows("Hm, a file.");
  await window.shows(/✗ .*nothing\.txt/);
  await window.shows("Read it.");
});

const waiting = async (sessionId: string) => {
  const { body } = await call<{ pending: { session_id: string }[] }>(
    program,
    "GET",
    "/api/pending",
  );
  return body.data.pending.filter((request) => request.session_id === sessionId).length;
};

test("[C6, W5] approvals are answered by key or word; a sentence is never a yes", async () => {
  await using window = await attached("attach-2");
  window.say("exec echo first > one.txt");
  await window.shows("y allow once");
  await window.shows("echo first > one.txt");
  window.say("yes but later"); // said to the agent, and allows nothing
  await window.shows("1 queued");
  assert.equal(await waiting("attach-2"), 1);
  window.screen.type("\u001by"); // Alt+Y
  await window.shows(/✓ echo first/);
  await until(async () => (await waiting("attach-2")) === 0);

  await startRun(program, "exec echo second", { session_id: "attach-2" });
  await window.shows(/\? echo second/);
  window.say("no, not now");
  await window.shows(/⊘ echo second/);
  await window.shows("not now");
  await startRun(program, "exec echo third", { session_id: "attach-2" });
  await window.shows(/\? echo third/);
  window.say("y");
  await window.shows(/✓ echo third/);
});

test("[C6, S] a yes reaches only what stood there when it was begun, and stood there long enough to be read", async () => {
  {
    await using window = await attached("attach-13");
    const { run_id } = await startRun(program, "exec echo first\nexec echo second", {
      session_id: "attach-13",
    });
    await window.shows(/\? echo first/);
    window.screen.type("y");
    await approve(program, run_id); // in another window
    await window.shows(/\? echo second/);
    window.screen.type(ENTER);
    await window.shows("only just come");
    assert.equal(await waiting("attach-13"), 1);
    window.screen.type(ENTER); // the word is still there, and meant for what is
    await window.shows(/✓ echo second/);
  }
  await using hasty = await attached("attach-14", { readMs: 3_600_000 });
  await startRun(program, "exec echo third", { session_id: "attach-14" });
  await hasty.shows(/\? echo third/);
  hasty.screen.type("\u001by");
  await hasty.shows("only just come");
  assert.equal(await waiting("attach-14"), 1);
});

test("[W5] questions are answered by number, key or words", async () => {
  await using window = await attached("attach-3");
  const ask = (question: string) =>
    startRun(program, `clarify ${question}`, { session_id: "attach-3" });
  await ask("Which one? | left | right");
  await window.shows("1 left · 2 right");
  window.say("2");
  await window.shows(/✓ Which one\?/);
  await ask("Which other? | up | down");
  await window.shows("1 up · 2 down");
  window.screen.type("\u001b1"); // Alt+1
  await window.shows(/✓ Which other\?/);
  await ask("And why?");
  await window.shows(/\? And why\?/);
  window.say("because I say so");
  await window.shows(/✓ And why\?/);
  await window.shows("because I say so");
});

test("[C3, C4] Enter queues or steers while a run goes on, Esc stops it", async () => {
  await using window = await attached("attach-4");
  const { run_id } = await startRun(program, `pace 200\nsay ${"word ".repeat(200)}`, {
    session_id: "attach-4",
  });
  await window.shows("Enter queues");
  window.say("say Queued one.");
  await window.shows("1 queued");
  window.screen.type(TAB);
  await window.shows("Enter steers");
  window.say("hurry up");
  await window.shows(">> hurry up");
  window.screen.type(ESCAPE);
  await until(async () => {
    const { runs } = await sessionOf("attach-4");
    return runs.find((run) => run.run_id === run_id)?.status === "cancelled";
  });
  await window.shows("Queued one.");
});

test("what comes too late is given back, not lost", async () => {
  await using window = await attached("attach-8");
  window.say("clarify Which? | a | b");
  await window.shows("1 a");
  const { pending } = (
    await call<{ pending: { request_id: string; run_id: string }[] }>(
      program,
      "GET",
      "/api/pending",
    )
  ).body.data;
  const { run_id = "", request_id = "" } = pending[0] ?? {};
  // Answered elsewhere and here at once: whichever comes second, its words are still there.
  const elsewhere = call(program, "POST", `/api/runs/${run_id}/clarifications/${request_id}`, {
    response: "a",
  });
  window.say("my own words");
  await elsewhere;
  await window.shows(/✓ Which\?/);
  await until(async () => {
    const said = (await sessionOf("attach-8")).runs.length > 1;
    const text = window.screen.text();
    return said || text.lastIndexOf("my own words") > text.lastIndexOf("Which?") - 2_000;
  });
});

test("[V5] it comes back by itself when the server was killed, with nothing twice", async () => {
  await using window = await attached("attach-5");
  await startRun(program, "pace 25\nsay alpha beta gamma delta epsilon zeta eta theta iota kappa", {
    session_id: "attach-5",
  });
  await window.shows("beta");
  await program.kill("serve");
  await window.shows("reconnecting");
  await window.shows(/alpha beta gamma delta epsilon zeta eta theta iota kappa/);
  await until(
    async () => (await call(program, "GET", "/api/status").catch(() => null))?.status === 200,
  );
});

/** Attached by a network, of which the last answers can be lost. */
async function behindNetwork(sessionId: string) {
  const window = await attached(sessionId, { base: `http://127.0.0.1:${network.port}` });
  await window.shows("● live");
  const runs = async () => (await sessionOf(sessionId)).runs;
  return {
    ...window,
    runs,
    /** It is said and taken, and nobody here hears of it. */
    async sayUnheard(text: string, taken: () => Promise<boolean>) {
      network.cut("no replies");
      window.say(text);
      await until(taken, "it to be taken");
      network.cut("reset");
      await window.shows("The server does not answer.");
      network.heal();
    },
  };
}

test("[C2, X2] what was taken and not answered is one message, also when it is sent again", async () => {
  await using window = await behindNetwork("attach-9");
  await window.sayUnheard("say only once", async () => (await window.runs()).length === 1);
  window.screen.type(ENTER); // the words are still there
  window.say("say something else");
  await window.shows("> say something else");
  assert.equal((await window.runs()).length, 2);
});

test("[C2, C3] and so is what was said to a run that has ended since", async () => {
  await using window = await behindNetwork("attach-10");
  await startRun(program, "pace 200\nsay a b c d e f g h i j k l m n o p q r s t u v w", {
    session_id: "attach-10",
  });
  await window.shows("a b");
  const [running] = await window.runs();
  await window.sayUnheard("say queued", async () => (await window.runs()).length === 2);
  await call(program, "POST", `/api/runs/${running?.run_id}/cancel`, {});
  await until(async () => (await window.runs()).every(({ status }) => TERMINAL.has(status)));
  await window.shows("> say queued");
  window.screen.type(ENTER);
  window.say("say something else");
  await window.shows("> say something else");
  assert.equal((await window.runs()).length, 3);
});

test("[C2, C12] a command whose answer was lost is carried out once", async () => {
  await using window = await behindNetwork("attach-12");
  window.say("say hello");
  await window.shows("hello");
  await until(async () => (await window.runs()).every(({ status }) => TERMINAL.has(status)));
  await window.sayUnheard("/retry", async () => (await window.runs()).length === 2);
  await until(async () => (await window.runs()).every(({ status }) => TERMINAL.has(status)));
  window.screen.type(ENTER); // the words are still there
  window.say("say something else");
  await window.shows("> say something else");
  assert.equal((await window.runs()).length, 3);
});

test("what was not taken is not lost to what was typed meanwhile", async () => {
  await using window = await behindNetwork("attach-11");
  await window.sayUnheard("say only once", async () => {
    const isTaken = (await window.runs()).length === 1;
    if (isTaken) window.screen.type("and");
    return isTaken;
  });
  await window.shows("Arrow up brings it back: say only once");
  for (const _letter of "and") window.screen.type(BACKSPACE);
  window.screen.type(UP);
  window.screen.type(ENTER);
  window.say("say something else");
  await window.shows("> say something else");
  assert.equal((await window.runs()).length, 2);
});

test("[S] what a tool prints cannot act on the terminal", async () => {
  await using window = await attached("attach-6");
  await startRun(program, "say bell \\u0007 and \u001b]0;owned\u0007 \u202Eright to left", {
    session_id: "attach-6",
  });
  await window.shows("\\u{1b}");
  await window.shows("\\u{202e}");
});

test("slash commands do what they say, and a wrong one says so", async () => {
  await using window = await attached("attach-7");
  window.say("/help");
  await window.shows("/compress — summarise the conversation");
  window.say("/title A better name");
  await until(async () => (await sessionOf("attach-7")).session.title === "A better name");
  window.say("/goal ship it");
  await until(async () => (await sessionOf("attach-7")).session.goal !== null);
  window.say("/yolo on");
  await window.shows("YOLO");
  window.say("/nonsense");
  await window.shows("There is no /nonsense. Try /help.");
});

test("without a terminal, a server or the session it says what to do", async () => {
  const piped = await quarterdeck(["attach", "--home", place.home]);
  assert.equal(piped.code, 2);
  assert.match(piped.stderr, /needs a terminal/);
});
