// C12, J6, D1: a command that rewinds, rolls back and asks again is in the journal completely or not at all, wherever
// its process is killed; repeating it with its key completes it and never doubles it.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as s from "../contract/store.contract.ts";
import { openSqlite } from "../sqlite/sqlite.ts";
import { FEATURES } from "../../../features/journal-features.ts";

const SCRIPT = join(import.meta.dirname, "../../../../test/support/journal/rerunning.ts");
type Emitted = { runId: string; message_id: string };

/** A few turns of the event loop later: commands take about as long. */
function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => afterTurns(turns - 1, then));
}

/** Kills the process right after it said which command comes next, the `nth` time. */
async function killDuring(home: string, nth: number): Promise<Emitted> {
  const child = fork(SCRIPT, [home], { execArgv: [] });
  const exit = once(child, "exit");
  let last: Emitted | undefined;
  let count = 0;
  child.on("message", (emitted: Emitted) => {
    last = emitted;
    count += 1;
    if (count === nth) afterTurns(nth % 4, () => child.kill("SIGKILL"));
  });
  await exit;
  assert.ok(last, "it told what it was about to do");
  return last;
}

test("[C12, J6, D1] a killed rerun is whole or nothing, and its repeat makes it one", async () => {
  for (const nth of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const home = mkdtempSync(join(tmpdir(), "qd-kill-"));
    try {
      const { runId, message_id } = await killDuring(home, nth);
      await using journal = await openSqlite({ features: FEATURES, home });
      assert.deepEqual(await journal.upkeep.verify(), []);
      await s.checkSession(journal, "s1");
      const before = await s.lists(journal);
      await journal.upkeep.rebuild();
      assert.deepEqual(await s.lists(journal), before);
      checkPairs(await s.sessionEvents(journal));

      for (let claim = await s.claimNext(journal, { lost: ["runner_a"] }); claim;) {
        await s.end(journal, claim);
        claim = await s.claimNext(journal);
      }
      const round = Number(message_id.slice(1));
      const command = { message: `round ${round}`, files: true, message_id };
      const repeated = await journal.commands.rerun(runId, command);
      assert.ok(repeated?.accepted, JSON.stringify(repeated));
      const said = (await s.sessionEvents(journal)).filter(
        (event) => event.type === "message.user" && event.payload.message_id === message_id,
      );
      assert.equal(said.length, 1);
      checkPairs(await s.sessionEvents(journal));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
});

/** Every rewind is followed by its rollback and its new run. */
function checkPairs(events: Awaited<ReturnType<typeof s.sessionEvents>>): void {
  const types = events.map(({ type }) => type);
  const rewinds = types.filter((type) => type === "session.rewound").length;
  assert.equal(types.filter((type) => type === "tool.intent").length, rewinds);
  assert.equal(types.filter((type) => type === "run.queued").length, 1 + 2 * rewinds);
}
