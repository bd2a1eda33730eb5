import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS, helpOf, type CommandName } from "./commands.ts";

const names = Object.keys(COMMANDS) as CommandName[];

test("every command's help names each of its flags and no other", async () => {
  for (const name of names) {
    const { flags } = await COMMANDS[name].load();
    const help = helpOf(name);
    assert.ok(help.startsWith(`quarterdeck ${name}`), name);
    const emitted = [...COMMANDS[name].help.matchAll(/--([a-z][a-z-]*)/g)].map(
      ([, flag]) => flag ?? "",
    );
    assert.deepEqual([...new Set(emitted)].toSorted(), Object.keys(flags).toSorted(), name);
  }
});
