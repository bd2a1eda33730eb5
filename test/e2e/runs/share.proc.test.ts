// Files of sessions in the shell and across kills: out, in, played and done again.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, quarterdeck, type TestHome } from "../../support/program.ts";
import { answerQuestion, approve } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const at = (place: TestHome) => ["--home", place.home, "--workspace", place.workspace];
const WORK = "think quietly\nwrite a.txt hello\\n\nread a.txt\ntodo One; Two\nsay all done";
const lines = (text: string) => text.split("\n").filter((line) => line !== "");

test("[Y1, Y5, Y7] export, import and replay in the shell, and what each of them refuses", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  using elsewhere = newTestHome();
  const shell = (...args: string[]) => quarterdeck([...args, ...at(place)]);
  const run = await shell("run", WORK, "--json", "--session", "sess_share");
  assert.equal(run.code, 0, run.stderr);
  const stored = lines(run.stdout);
  const { run_id } = JSON.parse(stored[0] ?? "") as RunEvent;

  const file = join(place.workspace, "out.jsonl");
  const full = ["--format", "json", "--policy", "full"];
  const exported = await shell("export", "sess_share", ...full, "-o", file);
  assert.deepEqual([exported.code, exported.stderr], [0, ""]);
  assert.match(exported.stdout, /events, 0 of them redacted/);
  const inFile = lines(readFileSync(file, "utf8"));
  assert.ok(stored.every((line) => inFile.includes(line)));
  const again = await shell("export", "sess_share", ...full, "-o", file);
  assert.deepEqual([again.code, /exists already/.test(again.stderr)], [1, true]);
  const toPipe = await shell(
    "export",
    run_id,
    "--format",
    "json",
    "--without",
    "thinking",
    "-o",
    "-",
  );
  assert.equal(toPipe.code, 0);
  assert.match(toPipe.stdout, /"reasoning.done".*"text":"\[left out\]"/);

  const played = await shell("replay", file, "--speed", "max");
  assert.deepEqual([played.code, played.stdout], [0, "all done\n"]);
  assert.match(played.stderr, /> think quietly/);
  const asJson = await shell("replay", run_id, "--speed", "max", "--json");
  assert.deepEqual(lines(asJson.stdout).slice(-stored.length), stored);
  for (const what of [file, run_id, "sess_share"]) {
    const checked = await shell("replay", "--check", what);
    assert.deepEqual([checked.code, checked.stderr], [0, ""], checked.stdout);
    assert.match(checked.stdout, /^The same: \d+ events/);
  }

  const taken = await quarterdeck(["import", file, ...at(elsewhere)]);
  assert.equal(taken.code, 0, taken.stderr);
  const twice = await quarterdeck(["import", file, ...at(elsewhere)]);
  assert.match(twice.stdout, /is here already/);
  const [imported = ""] = taken.stdout.split(":");
  const back = await quarterdeck(["export", imported, ...full, "-o", "-", ...at(elsewhere)]);
  assert.deepEqual(lines(back.stdout).slice(1), inFile.slice(1), "and out again as it came");

  writeFileSync(join(place.workspace, "cut.jsonl"), inFile.slice(0, -3).join("\n"));
  const refusals: readonly (readonly [readonly string[], number, RegExp])[] = [
    [["export"], 2, /What\?/],
    [["export", "nobody"], 1, /no session and no run/],
    [["export", "sess_share", "--policy", "none"], 2, /--policy is one of/],
    [["export", "sess_share", "--format", "pdf"], 2, /--format is one of/],
    [["export", "sess_share", "--without", "all"], 2, /--without is one of/],
    [["import"], 2, /Which file/],
    [["import", "/nowhere"], 1, /cannot be read \(ENOENT\)/],
    [["import", join(place.workspace, "cut.jsonl")], 1, /cut off/],
    [["import", join(place.workspace, "a.txt")], 1, /not a recording/],
    [["replay"], 2, /What\?/],
    [["replay", "nobody"], 1, /no file, no run and no session/],
    [["replay", file, "--speed", "0"], 2, /--speed is/],
  ];
  await Promise.all(
    refusals.map(async ([args, code, words]) => {
      const answer = await shell(...args);
      assert.equal(answer.code, code, `${args.join(" ")}: ${answer.stderr}`);
      assert.match(answer.stderr, words);
    }),
  );
});

/** An end that says something else, with a hash that fits it. */
function saysTwo(line: string): string {
  const { hash: _hash, ...event } = JSON.parse(line) as RunEvent;
  if (event.type !== "done") return line;
  const said = { ...event, payload: { ...event.payload, result: "two" } };
  const core = JSON.stringify(said).slice(0, -1);
  return `${core},"hash":"${hash("sha256", core)}"}`;
}

test("[Y7b] a drift is told and ends with 1", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  const shell = (...args: string[]) => quarterdeck([...args, ...at(place)]);
  const run = await shell("run", "say one", "--json");
  const events = lines(run.stdout).map((line) => JSON.parse(line) as RunEvent);
  const { session_id = "" } = events[0] ?? {};
  const all = lines((await shell("replay", session_id, "--json", "--speed", "max")).stdout);
  const changed = join(place.workspace, "changed.jsonl");
  writeFileSync(changed, all.join("\n").replaceAll('"delta":"one"', '"delta":"two"'));
  const refused = await shell("replay", "--check", changed);
  assert.deepEqual([refused.code, /was changed/.test(refused.stderr)], [1, true]);

  writeFileSync(changed, all.map(saysTwo).join("\n"));
  const drifted = await shell("replay", "--check", changed);
  assert.deepEqual([drifted.code, drifted.stderr], [1, ""]);
  assert.match(drifted.stdout, /differs at its event \d+:\n- done .*two.*\n\+ done .*one/);
});

test("[Y7] a run is done again under the rules and limits of its profile as they were", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  const folder = join(place.home, "profiles/default");
  mkdirSync(folder, { recursive: true });
  const permissions = [
    { effect: "allow", tool: "exec" },
    { effect: "deny", tool: "*", path: "secret" },
    { effect: "ask", tool: "write" },
  ];
  const profile = { permissions, budget: { tool_calls: 2, wall_s: 3600 } };
  writeFileSync(join(folder, "profile.json"), JSON.stringify(profile));
  await using program = await openPair(place);
  const script = "exec echo one\nread secret\nwrite a.txt one\nread a.txt\nsay done";
  const { run_id, session_id } = await startRun(program, script);
  await approve(program, run_id);
  await answerQuestion(program, run_id, "continue");
  await followRun(() => program, run_id);
  writeFileSync(join(folder, "profile.json"), "{}");

  const checked = await quarterdeck(["replay", "--check", session_id, ...at(place)]);
  assert.match(checked.stdout, /^The same: \d+ events/);
  const shared = ["export", session_id, "--format", "json", "-o", "-", ...at(place)];
  assert.doesNotMatch((await quarterdeck(shared)).stdout, /"policy":\{"rules"/);
});

test("[Y5b] wherever a server is killed while it imports, the session is whole or not there", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  await using program = await openPair(place, { apart: ["serve"] });
  const server: Server = program;
  const words = "x".repeat(20_000);
  const run = await quarterdeck(["run", `say ${words}`, "--session", "sess_big", ...at(place)]);
  assert.equal(run.code, 0, run.stderr);
  const headers = { authorization: `Bearer ${server.token}` };
  const path = `${server.url}/api/sessions/sess_big/export?format=json&policy=full`;
  const file = Buffer.from(await (await fetch(path, { headers })).arrayBuffer());
  const send = (query = "") =>
    fetch(`${server.url}/api/import${query}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/octet-stream" },
      body: file,
    });
  for (const turns of [0, 3]) {
    const sending = send("?again=1").then(
      (answer) => answer.status,
      () => 0,
    );
    for (let turn = 0; turn < turns; turn += 1) await call(server, "GET", "/api/status");
    await program.kill("serve");
    await sending;
    await until(async () => {
      const answer = await call(server, "GET", "/api/status").catch(() => undefined);
      return answer?.status === 200;
    }, "a server again");
    type Sessions = { sessions: { session_id: string; source: string }[] };
    const { body } = await call<Sessions>(server, "GET", "/api/sessions?limit=200");
    for (const { session_id } of body.data.sessions.filter(({ source }) => source === "import")) {
      const kept = await fetch(`${server.url}/api/sessions/${session_id}/recording`, { headers });
      assert.ok(file.equals(Buffer.from(await kept.arrayBuffer())), "all of it is there");
    }
  }
  const answer = await send();
  assert.equal(answer.status, 202);
  assert.equal((await send()).status, 200, "known from now on");
});
