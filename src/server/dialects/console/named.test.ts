// Whoever names a run or a session means that one, whatever happened since they looked.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as s from "../../../journal/contract/store.contract.ts";
import { openConsole } from "./test-support.ts";

test("[C4, C12, W6] a run that is not of the session that is named is neither stopped, retried nor undone", async () => {
  await using console_ = await openConsole();
  const { post, journal } = console_;
  const run_id = await s.start(journal);
  await s.start(journal, { session_id: "s2" });
  for (const path of ["/chat/stop", "/chat/retry", "/chat/undo"]) {
    const refused = await post(path, { session_id: "s2", run_id });
    assert.deepEqual([refused.http, refused.error.code], [404, "run_not_found"], path);
    assert.deepEqual([refused.error["run_id"], refused.error["session_id"]], [run_id, "s2"]);
  }
  assert.equal((await journal.run(run_id))?.status, "queued");
  assert.equal((await post("/chat/stop", { session_id: "s1", run_id })).http, 200);
});

test("[C12, W6] a run that two windows undo at once is undone, and nothing before it", async () => {
  await using console_ = await openConsole();
  const { post, journal } = console_;
  const [, newest] = [await s.exchange(journal, "a"), await s.exchange(journal, "b")];
  const runsOf = journal.runsOf.bind(journal);
  const slow: typeof runsOf = async (sessionId) => {
    const runs = await runsOf(sessionId);
    await journal.undo("s1", { run_id: newest }); // the other window, after this one has looked
    return runs;
  };
  Object.assign(journal, { runsOf: slow });
  const late = await post("/chat/undo", { run_id: newest });
  assert.deepEqual([late.data["status"], late.data["undone"]], ["unavailable", false]);
  const gone = (await runsOf("s1")).filter(({ rewound_at }) => rewound_at !== null);
  assert.deepEqual(
    gone.map(({ run_id }) => run_id),
    [newest],
  );
});

test("[C4, J6, W6] a stop of a session that is sent again stops nothing that came after it", async () => {
  await using console_ = await openConsole();
  const { post, journal } = console_;
  const first = await s.start(journal);
  const next = await s.start(journal);
  const stop = () => post("/chat/stop", { session_id: "s1", command_id: "k1" });
  const stopped = await stop();
  assert.deepEqual([stopped.data["run_id"], stopped.data["stop_requested"]], [first, true]);
  assert.deepEqual((await stop()).data, stopped.data);
  assert.equal((await journal.run(next))?.status, "queued");
});
