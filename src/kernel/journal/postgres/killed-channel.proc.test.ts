// W8, J6, D1: a device's message is in the journal with its run or its answer, or not at all, wherever the process is
// killed; sending it again completes it.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Saying } from "../../../../test/support/journal/saying.ts";
import * as s from "../contract/store.contract.ts";
import type { Journal } from "../journal.ts";
import { openSqlite } from "../sqlite/sqlite.ts";
import { FEATURES } from "../../../features/journal-features.ts";

const SCRIPT = join(import.meta.dirname, "../../../../test/support/journal/saying.ts");

/** A few turns of the event loop later: commands take about as long. */
function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => afterTurns(turns - 1, then));
}

/** Kills the process right after it said which message comes next, the `nth` time. */
async function killDuring(home: string, nth: number): Promise<Saying> {
  const child = fork(SCRIPT, [home], { execArgv: [] });
  const exit = once(child, "exit");
  let last: Saying | undefined;
  let count = 0;
  child.on("message", (said: Saying) => {
    last = said;
    count += 1;
    if (count === nth) afterTurns(nth % 4, () => child.kill("SIGKILL"));
  });
  await exit;
  assert.ok(last, "it told what it was about to say");
  return last;
}

/** Every message is complete or absent. */
async function check(journal: Journal): Promise<string[]> {
  const events = await s.sessionEvents(journal);
  const said = events.flatMap((event) => {
    if (event.type === "message.user") return [event.payload.message_id];
    if (event.type !== "clarify.resolved" || event.payload.by !== "terminal") return [];
    return [event.payload.clarify_id.replace("cl_", "answer_")];
  });
  assert.equal(new Set(said).size, said.length, said.join(" "));
  for (const message_id of said) {
    const message = await journal.reads.channelMessage("s1", message_id);
    assert.ok(message, `${message_id} is known`);
    assert.equal(message.after_seq === 0, message_id.startsWith("start_"));
  }
  return said;
}

test("[W8, J6, D1] a message whose process was killed is whole or nothing, and its repeat makes it one", async () => {
  for (const nth of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    const home = mkdtempSync(join(tmpdir(), "qd-kill-"));
    try {
      const { message_id, text } = await killDuring(home, nth);
      await using journal = await openSqlite({ features: FEATURES, home });
      assert.deepEqual(await journal.upkeep.verify(), []);
      const before = (await journal.reads.session("s1")) ? await check(journal) : [];
      const again = { session_id: "s1", message_id, text, source: "terminal" };
      const taken = await journal.commands.takeChannelMessage(again, s.DEFAULTS);
      assert.equal(taken.duplicate, before.includes(message_id));
      const after = await check(journal);
      assert.deepEqual(after.toSorted(), [...new Set([...before, message_id])].toSorted());
      await s.checkSession(journal, "s1");
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
});
