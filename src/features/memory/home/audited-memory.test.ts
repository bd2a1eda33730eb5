// Who changed the memory, at the moments where it could be told wrongly. On a real journal, held back for a moment.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import type { SystemEvent } from "../../../kernel/events/system-events.ts";
import { homeId } from "../../../kernel/home/home-id.ts";
import type { HomeNotes } from "../../../kernel/home/home-notes.ts";
import { openAuditedMemory } from "./audited-memory.ts";
import { temporaryHome } from "../../../kernel/home/test-support.ts";

async function openNotes() {
  const store = sqliteStore();
  const journal = await store.connect();
  const noted = async () => {
    const bodies = await journal.systemLog.events({ types: ["memory.changed"], limit: 100 });
    return bodies.toReversed().map((body) => (JSON.parse(body) as SystemEvent).payload.by);
  };
  return { journal, noted, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

test("[M2] a change that was made and is not noted yet is nobody's by hand", async () => {
  await using home = await temporaryHome();
  await using place = await openNotes();
  const { journal } = place;
  const profile = home.profile("default");
  const made = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  const slow: HomeNotes = {
    homeNotes: (of) => journal.homeFiles.homeNotes(of),
    async noteHome(sightings) {
      made.resolve();
      await goOn.promise;
      await journal.homeFiles.noteHome(sightings);
    },
  };
  const watched: HomeNotes = {
    async homeNotes(of) {
      const found = await journal.homeFiles.homeNotes(of);
      looked.resolve();
      return found;
    },
    noteHome: (sightings) => journal.homeFiles.noteHome(sightings),
  };
  const adding = openAuditedMemory(profile, { notes: slow, by: "person" }).add("memory", "one");
  await made.promise;
  const reading = openAuditedMemory(profile, { notes: watched, by: "run r1" }).read("memory");
  await looked.promise; // it has seen what nobody noted
  await place.noted();
  goOn.resolve();
  assert.match((await reading).text, /one/);
  await adding;
  assert.deepEqual(await place.noted(), ["person"]);
});

test("[M2] what was made and never noted, by a process that was killed, is noted by the next reader", async () => {
  await using home = await temporaryHome();
  await using place = await openNotes();
  const { journal } = place;
  const profile = home.profile("default");
  const killed: HomeNotes = {
    homeNotes: (of) => journal.homeFiles.homeNotes(of),
    noteHome: async () => Promise.reject(new Error("killed")),
  };
  const dying = openAuditedMemory(profile, { notes: killed, by: "run r1" });
  await assert.rejects(dying.add("memory", "one"), /killed/);
  const reader = openAuditedMemory(profile, { notes: journal.homeFiles, by: "person" });
  assert.deepEqual((await reader.list("memory")).entries, ["one"]);
  await reader.list("memory");
  assert.deepEqual(await place.noted(), ["hand"]);
});

test("[M1b] a home is named once, and another home's file is another file", async () => {
  await using one = await temporaryHome();
  await using other = await temporaryHome();
  await using place = await openNotes();
  const notes = place.journal.homeFiles;
  const ids = await Promise.all([homeId(one.at()), homeId(one.at()), homeId(other.at())]);
  assert.equal(ids[0], ids[1]);
  assert.notEqual(ids[0], ids[2]);
  const here = openAuditedMemory(one.profile("default"), { notes, by: "person" });
  const there = openAuditedMemory(other.profile("default"), { notes, by: "person" });
  await here.add("memory", "here");
  await there.add("memory", "there");
  for (const memory of [here, there, here, there]) await memory.list("memory");
  assert.deepEqual(
    await place.noted(),
    ["person", "person"],
    "neither takes the other's for a change",
  );
  await writeFile(one.at("default/memory/MEMORY.md"), "- by hand\n");
  await there.list("memory");
  assert.equal((await there.last("memory"))?.by, "person");
  await here.list("memory");
  assert.equal((await here.last("memory"))?.by, "hand");
});
