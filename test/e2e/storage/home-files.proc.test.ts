// Memory and skills with real processes: killed in the middle, read by a model, switched per session.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";

import { startServe } from "../../support/processes.ts";
import { openServer, openPair } from "../../support/pair.ts";
import { newTestHome, type TestHome } from "../../support/program.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";

const MEMORY = "/api/profiles/default/memory";
const MODEL = "scripted/agent";

function put({ home }: TestHome, name: string, text: string): void {
  const path = join(home, "profiles/default", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

type Memory = { entries: string[]; hash: string };
type Noted = { entries: { payload: { by: string; hash: string } }[] };

test("[M1, M2] kill -9 while entries are added: what was said to be kept is there, and the audit ends at what is", async () => {
  using place = newTestHome();
  const kept: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    await using server = await startServe(place);
    const adding = Array.from({ length: 12 }, async (_, index) => {
      const text = `round ${round} entry ${index}`;
      const reply = await call(server, "POST", `${MEMORY}/add`, { target: "memory", text });
      assert.equal(reply.status, 200);
      kept.push(text);
      if (kept.length % 12 === 4) server.signal("SIGKILL"); // the others are at whatever point
    });
    await Promise.allSettled(adding);
    assert.equal(await server.ended, "SIGKILL");
  }
  await using server = await openServer(place);
  const read = async () => (await call<Memory>(server, "GET", MEMORY)).body.data;
  const { entries, hash } = await read();
  assert.deepEqual(
    kept.filter((text) => !entries.includes(text)),
    [],
  );
  await read();
  const audit = await call<Noted>(server, "GET", "/api/audit?types=memory&limit=200");
  const hashes = audit.body.data.entries.map(({ payload }) => payload.hash);
  assert.equal(hashes[0], hash, "the newest note is of what is there");
  assert.ok(
    hashes.every((one, at) => one !== hashes[at + 1]),
    "nothing is noted twice",
  );
  assert.ok(audit.body.data.entries.length <= entries.length + 3);
});

test("[M5, M6] a model is told what is remembered and loaded, not what is off; readings are counted", async () => {
  await using model = await startAgent(() => [
    { calls: [{ name: "skill", args: { action: "view", name: "deploy" } }] },
    { calls: [{ name: "skill", args: { action: "view", name: "secret" } }] },
    { say: "Done." },
  ]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  put(place, "memory/USER.md", "- Is called Ann.\n");
  for (const name of ["deploy", "review", "secret"]) {
    put(
      place,
      `skills/${name}/SKILL.md`,
      `---\ndescription: About ${name}\n---\n\nThe words of ${name}.\n`,
    );
  }
  await using program = await openPair(place);
  const session_id = "told";
  await call(program, "POST", "/api/sessions", { session_id });
  const at = `/api/sessions/${session_id}/skills`;
  await call(program, "POST", at, { name: "review", state: "loaded" });
  await call(program, "POST", at, { name: "secret", state: "off" });
  const { run_id } = await startRun(program, "begin", { session_id, model: MODEL });
  const { events } = await followRun(() => program, run_id);
  const emitted = JSON.stringify(model.requests[0]?.body);
  for (const words of ["Is called Ann.", "- deploy: About deploy", "The words of review."]) {
    assert.ok(emitted.includes(words), words);
  }
  for (const words of ["The words of deploy", "About review", "secret"]) {
    assert.ok(!emitted.includes(words), words);
  }
  const done = events.filter(({ type }) => type === "tool.done").map(({ payload }) => payload);
  assert.deepEqual(
    done.map((payload) => (payload as { error: { code: string } | null }).error?.code ?? "ok"),
    ["ok", "switched_off"],
  );
  type Skills = { skills: { name: string; uses: number; last: { by: string } }[] };
  const { skills } = (await call<Skills>(program, "GET", "/api/profiles/default/skills")).body.data;
  assert.deepEqual(
    skills.map(({ name, uses, last }) => [name, uses, last.by]),
    [
      ["deploy", 1, "hand"],
      ["review", 0, "hand"],
      ["secret", 0, "hand"],
    ],
  );
  const { entries } = (await call<Noted>(program, "GET", "/api/audit?types=memory")).body.data;
  assert.deepEqual(
    entries.map(({ payload }) => payload.by),
    ["hand"],
    "the runner saw it first",
  );
  assert.equal(
    readFileSync(join(place.home, "profiles/default/memory/USER.md"), "utf8"),
    "- Is called Ann.\n",
  );
});
