import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "./commands.ts";
import { COMMAND_HELP, helpOf } from "./help.ts";

const names = Object.keys(COMMAND_HELP) as (keyof typeof COMMAND_HELP)[];

test("every command's help names each of its flags and no other", async () => {
  assert.equal(names.length, 19);
  for (const name of names) {
    const { flags } = await COMMANDS[name]();
    const help = helpOf(name);
    assert.ok(help.startsWith(`quarterdeck ${name}`), name);
    const emitted = [...COMMAND_HELP[name].matchAll(/--([a-z][a-z-]*)/g)].map(
      ([, flag]) => flag ?? "",
    );
    assert.deepEqual([...new Set(emitted)].toSorted(), Object.keys(flags).toSorted(), name);
  }
});
