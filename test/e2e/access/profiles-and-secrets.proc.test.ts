// Profiles keep to themselves, foreign tools stay behind the gate, and keys stay out of the journal.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";
import { finish, startModelServer, textChunk, waitFor } from "../../support/models/model-server.ts";

import { writeProfile } from "../../support/profiles.ts";
import { openServer, openPair } from "../../support/pair.ts";
import { newTestHome, ROOT } from "../../support/program.ts";
import { rawText } from "../../support/journal/raw-journal.ts";
import { answerQuestion, approve, eventsOf, textOf } from "../../support/runs.ts";
import { messagesIn, startAgent } from "../../support/models/scripted-agent.ts";

const MODEL = "scripted/agent";
const KEY = "sk-test-0123456789abcdefghij";

test("[R15a, R15c] each profile has its own voice, memory and sessions; a broken one ends the run with a sentence", async () => {
  await using model = await startAgent((request) =>
    JSON.stringify(request.body).includes("remember")
      ? [
          {
            calls: [
              {
                name: "memory",
                args: { action: "add", target: "memory", text: "the sky is green" },
              },
            ],
          },
          { calls: [{ name: "session_search", args: { words: "marmalade" } }] },
          { say: "Noted." },
        ]
      : [{ calls: [{ name: "session_search", args: { words: "marmalade" } }] }, { say: "Hello." }],
  );
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  writeProfile(place, "pirate", { prompt: "You are a pirate." });
  writeProfile(place, "broken", { settings: { colour: "red" } });
  await using program = await openPair(place);
  const say = async (message: string, profile: string) => {
    const { run_id } = await startRun(program, message, { profile, model: MODEL });
    return (await followRun(() => program, run_id)).events;
  };

  await say("remember marmalade", "pirate");
  const memory = join(place.home, "profiles/pirate/memory/MEMORY.md");
  assert.match(readFileSync(memory, "utf8"), /^- the sky is green$/m);
  const pirate = await say("hello", "pirate");
  const other = await say("hello", "default");
  const emitted = (index: number) =>
    JSON.stringify(messagesIn(model.requests.at(index) as never)[0]);
  assert.match(emitted(-4), /You are a pirate.*the sky is green/s);
  assert.doesNotMatch(emitted(-1), /pirate|sky/);
  const hits = (events: typeof pirate) =>
    JSON.stringify(
      eventsOf(events, "tool.done").map(({ payload }) => [payload.result, payload.output]),
    );
  assert.match(hits(pirate), /marmalade/);
  assert.doesNotMatch(hits(other), /remember marmalade/);

  const broken = await say("hello", "broken");
  const done = broken.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "failed");
  assert.match(done.payload.error?.message ?? "", /profile\.json.*colour/s);
});

test("[R13c, X3] a foreign tool asks whatever it says of itself, and one that dies is asked about", async () => {
  await using model = await startAgent((request) => {
    const words = JSON.stringify(request.body);
    const name = words.includes("use die") ? "mcp__odd__die" : "mcp__odd__echo";
    return [{ calls: [{ name, args: { text: "hi" } }] }, { say: "Done." }];
  });
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL, sandbox: "off" });
  const ledger = join(place.workspace, "ledger");
  writeProfile(place, "default", {
    settings: {
      mcp: {
        odd: {
          transport: "stdio",
          command: process.execPath,
          args: [join(ROOT, "test/support/servers/mcp-server.ts")],
          env: { LEDGER: ledger, TOKEN: "${ODD_TOKEN}" },
        },
      },
    },
  });
  await using program = await openPair(place, { env: { ODD_TOKEN: "odd-secret-value" } });

  const echo = await startRun(program, "use echo", { model: MODEL });
  await approve(program, echo.run_id);
  const { events } = await followRun(() => program, echo.run_id);
  assert.equal(eventsOf(events, "tool.done")[0]?.payload.ok, true);
  const text = JSON.stringify(events);
  assert.ok(!text.includes("odd-secret-value"), "its secret is in no event");

  const die = await startRun(program, "use die", { model: MODEL });
  await approve(program, die.run_id);
  await answerQuestion(program, die.run_id, "skip");
  const dead = await followRun(() => program, die.run_id);
  assert.equal(eventsOf(dead.events, "tool.outcome_unknown").length, 1);
  assert.equal(textOf(ledger).match(/die/g)?.length, 1, "called once");
});

test("[R14] a key that comes back in pieces from model and command is in no event, blob or answer", async () => {
  const pieces = ["The key is sk-te", "st-01234567", "89abcdefghij, keep it."];
  const [first = "", ...rest] = pieces;
  const seen = Promise.withResolvers<void>(); // so that the pieces are not journaled as one
  await using model = await startModelServer(() => [
    textChunk(first),
    waitFor(seen.promise),
    ...rest.map(textChunk),
    finish("stop"),
  ]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place, { env: { QUARTERDECK_API_KEY: KEY } });
  const said = await startRun(program, "tell me", { model: MODEL });
  const { events, frames } = await followRun(() => program, said.run_id, {
    onFrame: ({ type }) => type === "token.delta" && seen.resolve(),
  });
  const shown = eventsOf(events, "token.delta").map(({ payload }) => payload.delta);
  assert.ok(shown.length > 1 && !shown.join("").includes(KEY), "in no two pieces either");
  assert.ok(model.requests[0]?.headers.authorization?.includes(KEY), "the provider gets it");
  assert.match(JSON.stringify(events.at(-1)), /The key is \[redacted:/);

  const half = KEY.length / 2;
  const print = `printf %s ${KEY.slice(0, half)}; sleep 0.05; printf %s ${KEY.slice(half)}; env; yes | head -c 100000; printf %s ${KEY.slice(0, half)}; printf %s ${KEY.slice(half)}`;
  const ran = await startRun(program, `pace 0\nexec ${print}\nsay after`, { model: "demo/demo" });
  await approve(program, ran.run_id);
  const printed = await followRun(() => program, ran.run_id);

  const wire = [...frames, ...printed.frames].map(({ data }) => data).join("\n");
  assert.ok(!wire.includes(KEY), "on the wire");
  const files = readdirSync(place.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  const stored = [...files, await rawText(place)].join("\n");
  assert.ok(stored.includes("The key is [redacted:") && stored.includes("y\ny\ny\n"), "all of it");
  assert.ok(!stored.includes(KEY), "on disk");
  const session = await call(program, "GET", `/api/sessions/${said.session_id}`);
  assert.ok(!JSON.stringify(session.body).includes(KEY));
});

test("[R15b] a run with a profile that is not there is refused, and a broken one is left to the run", async () => {
  using place = newTestHome();
  writeProfile(place, "broken", { settings: { colour: "red" } });
  await using server = await openServer(place);
  const start = (profile: string) =>
    call(server, "POST", "/api/runs", { message: "say hi", profile });
  for (const profile of ["misspelt", "../default"]) {
    const { status, body } = await start(profile);
    assert.equal(status, 400, profile);
    assert.match(body.error?.message ?? "", /profile/, profile);
  }
  for (const profile of ["default", "broken"]) assert.equal((await start(profile)).status, 202);
  const { body } = await call<{ sessions: unknown[] }>(server, "GET", "/api/sessions");
  assert.equal(body.data.sessions.length, 2, "nothing of the refused ones is kept");
});
