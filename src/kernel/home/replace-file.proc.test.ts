// Killed at any moment, a change is there or it is not. Real processes, really killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openMemory } from "../../features/memory/home/memory.ts";
import { profileFolder } from "./profile/files.ts";
import { changeFile } from "./replace-file.ts";
import { temporaryHome } from "./test-support.ts";

const KILLS = 12;
const BODY = "abcdefghij".repeat(1_000);

// Writes 1, 2, 3 … as whole files of 10 kB, as fast as it can, and says so after each.
const WRITER = `
  import { profileFolder } from ${JSON.stringify(join(import.meta.dirname, "profile/files.ts"))};
  import { changeFile } from ${JSON.stringify(join(import.meta.dirname, "replace-file.ts"))};
  const file = { folder: profileFolder(process.argv[1]), name: "notes.md", limit: 65_536 };
  for (;;) {
    const number = await changeFile(file, (text = "0") => {
      const next = Number(text.split(" ")[0]) + 1;
      return { text: next + " " + ${JSON.stringify(BODY)} + " " + next, result: next };
    });
    process.stdout.write(number + "\\n");
  }
`;

test("[D1] kill -9 at any moment leaves the old file or the new one, and nothing said done is lost", async () => {
  await using home = await temporaryHome();
  const notes = home.at("default/notes.md");
  let kills = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const args = ["--input-type=module", "--eval", WRITER, home.at("default")];
    const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(writer, "close");
    let said = "";
    writer.stdout.on("data", (data: Buffer) => {
      said += data.toString();
      // Some writes later, at another moment of a write each time.
      if (said.split("\n").length > 3) {
        for (let spin = 0; spin < round * 40_000; spin += 1) Math.sqrt(spin);
        writer.kill("SIGKILL");
      }
    });
    await closed;
    kills += writer.signalCode === "SIGKILL" ? 1 : 0;
    const [first, body, last] = (await readFile(notes, "utf8")).split(" ");
    assert.equal(first, last);
    assert.equal(body, BODY);
    assert.ok(Number(first) >= Number(said.trim().split("\n").at(-1)), "what it said is there");
  }
  assert.equal(kills, KILLS);
});

test("what a killed process had begun is cleared away, and what others have begun is not", async () => {
  await using home = await temporaryHome();
  const begun = (name: string) => `.${name}.${crypto.randomUUID()}.tmp`;
  const others = begun("USER.md");
  await home.put(`default/memory/${begun("MEMORY.md")}`, "hal");
  await home.put(`default/memory/${others}`, "hal");
  await openMemory(home.profile("default")).add("memory", "whole");
  assert.deepEqual(await readdir(home.at("default/memory")), [others, "MEMORY.md"]);
});

test("a person who saves while we write wins, and our change comes on top", async () => {
  await using home = await temporaryHome();
  const file = { folder: profileFolder(home.at("default")), name: "notes.md", limit: 1_000 };
  await home.put("default/notes.md", "theirs 1");
  let asked = 0;
  const result = await changeFile(file, (text) => {
    asked += 1;
    // The first time, somebody saves after we have read.
    if (asked === 1) writeFileSync(home.at("default/notes.md"), "theirs number 2");
    return { text: `${text} + ours`, result: text };
  });
  assert.equal(result, "theirs number 2");
  assert.equal(await readFile(home.at("default/notes.md"), "utf8"), "theirs number 2 + ours");
});

test("processes that change the same file at the same time lose nothing of each other", async () => {
  await using home = await temporaryHome();
  const program = `
    import { openMemory } from ${JSON.stringify(join(import.meta.dirname, "../../features/memory/home/memory.ts"))};
    const store = openMemory({ directory: process.argv[1] });
    for (let n = 0; n < 15; n += 1) await store.add("memory", process.argv[2] + " " + n);
  `;
  const writers = ["a", "b", "c"].map((name) => {
    const args = ["--input-type=module", "--eval", program, home.at("default"), name];
    return once(spawn(process.execPath, args, { stdio: "inherit" }), "close");
  });
  for (const [code] of await Promise.all(writers)) assert.equal(code, 0);
  assert.equal((await openMemory(home.profile("default")).list("memory")).usage.entries, 45);
});
