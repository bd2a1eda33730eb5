// What the journal records of a home's files: who changed them, how often skills were read, and the skills of sessions.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import type { HomeSighting } from "../../events/home-notes.ts";
import type { SystemEvent } from "../../events/system-events.ts";
import type { Journal } from "../journal.ts";
import * as s from "./store.contract.ts";

const MEMORY = { home: "h1", kind: "memory", profile: "default", name: "memory" } as const;
const SKILL = { home: "h1", kind: "skill", profile: "default", name: "deploy" } as const;
const made = (hash: string, more: object = {}) => ({
  by: "person",
  action: "added",
  hash,
  ...more,
});

async function emitted(journal: Journal): Promise<unknown[]> {
  const found = await journal.systemLog.events({
    types: ["memory.changed", "skill.changed"],
    limit: 50,
  });
  const events = found.map((body) => JSON.parse(body) as SystemEvent);
  return events.toReversed().map(({ payload }) => {
    const { by, action, hash } = payload as { by: string; action: string; hash: string };
    return `${by} ${action} ${hash}`;
  });
}

export function homeFilesContract(name: string, open: s.OpenStore): void {
  test(`${name} [M2a] what was found and nobody noted was done by hand, noted once by whoever is first`, async () => {
    await using store = await open();
    const [one, other] = [await store.connect(), await store.connect()];
    await one.homeFiles.noteHome([{ ...MEMORY, found: "" }]);
    assert.deepEqual(await emitted(one), [], "nothing is there, nothing was done");
    const seen: HomeSighting = { ...MEMORY, found: "a" };
    await Promise.all(
      [one, other, one, other].map((journal) => journal.homeFiles.noteHome([seen])),
    );
    assert.deepEqual(await emitted(one), ["hand edited a"]);
    await other.homeFiles.noteHome([{ ...MEMORY, found: "a", made: made("b") } as HomeSighting]);
    await one.homeFiles.noteHome([{ ...MEMORY, found: "c", made: made("d") } as HomeSighting]);
    assert.deepEqual((await emitted(one)).slice(1), [
      "person added b",
      "hand edited c",
      "person added d",
    ]);
    const elsewhere: HomeSighting = { ...MEMORY, home: "h2", found: "a" };
    await one.homeFiles.noteHome([elsewhere, { ...MEMORY, profile: "coder", found: "a" }]);
    const [note, ...rest] = await other.homeFiles.homeNotes(MEMORY);
    assert.deepEqual([note?.name, note?.hash, note?.by], ["memory", "d", "person"]);
    assert.deepEqual(rest, [], "another machine's home and another profile have their own");
  });

  test(`${name} [M4] an installed skill keeps where it came from through edits, and not through a new one`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const note = async () => {
      const [first] = await journal.homeFiles.homeNotes(SKILL);
      return [first?.action, first?.hash, first?.source, first?.installed_hash];
    };
    const change = (found: string, action: string, hash: string, source?: string) =>
      journal.homeFiles.noteHome([
        { ...SKILL, found, made: { by: "person", action, hash, source } } as HomeSighting,
      ]);
    await change("", "installed", "a", "https://example.org/x");
    await change("a", "edited", "b");
    assert.deepEqual(await note(), ["edited", "b", "https://example.org/x", "a"]);
    await journal.homeFiles.noteHome([{ ...SKILL, found: "c" }]);
    assert.deepEqual(await note(), ["edited", "c", "https://example.org/x", "a"]);
    await journal.upkeep.rebuild();
    assert.deepEqual(await note(), ["edited", "c", "https://example.org/x", "a"]);
    await journal.homeFiles.noteHome([{ ...SKILL, found: "" }]);
    assert.deepEqual(await note(), ["removed", "", null, null]);
    await journal.homeFiles.noteHome([{ ...SKILL, found: "d" }]);
    assert.deepEqual(await note(), ["created", "d", null, null]);
  });

  test(`${name} [M5a] a session's skills are an event, changed one by one, and survive a rebuild`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await s.start(journal);
    assert.deepEqual(await journal.homeFiles.sessionSkills("s1"), {});
    const set = async (name: string, state: "loaded" | "off" | "offered") =>
      (await journal.homeFiles.setSkill("s1", { name, state }))?.status;
    assert.equal(await set("deploy", "loaded"), "accepted");
    assert.equal(await set("deploy", "loaded"), "duplicate");
    assert.equal(await set("review", "off"), "accepted");
    assert.equal(await set("nothing", "offered"), "duplicate");
    await journal.upkeep.rebuild();
    assert.deepEqual(await journal.homeFiles.sessionSkills("s1"), {
      deploy: "loaded",
      review: "off",
    });
    assert.equal(await set("deploy", "offered"), "accepted");
    assert.deepEqual(await journal.homeFiles.sessionSkills("s1"), { review: "off" });
    assert.deepEqual(await s.payloadsOf(journal, "s1", "session.updated"), [
      { skills: { deploy: "loaded" } },
      { skills: { deploy: "loaded", review: "off" } },
      { skills: { review: "off" } },
    ]);
    assert.equal(await journal.homeFiles.sessionSkills("s2"), undefined);
    assert.equal(
      await journal.homeFiles.setSkill("s2", { name: "deploy", state: "off" }),
      undefined,
    );
  });

  test(`${name} [M6] each reading of a skill by a run is counted for its profile, and nothing else is`, async () => {
    await using store = await open();
    const { journal, claim } = await s.withRun(store);
    const read = (result: object, more: object = {}) => {
      const { type, payload } = d.toolDone("c1");
      return { type, payload: { ...payload, name: "skill", result, ...more } } as ReturnType<
        typeof d.toolDone
      >;
    };
    await s.write(
      journal,
      claim,
      d.started(),
      read({ name: "deploy", path: "SKILL.md" }),
      read({ name: "deploy", path: "SKILL.md" }),
      read({ name: "deploy", path: "more.md" }),
      read({ name: "deploy", created: true }),
      read({ name: "deploy", path: "SKILL.md" }, { ok: false }),
      read({ name: "deploy", path: "SKILL.md" }, { name: "mcp__skill" }),
      read({ skills: [] }),
    );
    const uses = async () =>
      (await journal.homeFiles.skillUses("default")).map(({ name, uses }) => [name, uses]);
    assert.deepEqual(await uses(), [["deploy", 2]]);
    await journal.upkeep.rebuild();
    assert.deepEqual(await uses(), [["deploy", 2]]);
    assert.deepEqual(await journal.homeFiles.skillUses("coder"), []);
  });
}
