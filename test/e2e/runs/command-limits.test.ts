// What a command leaves behind, through the whole program and without a sandbox: no process, and no more on the
// disk than is said.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { isAlive, pidIn } from "../../../src/kernel/workspace/host/test-support.ts";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { storedBytes } from "../../support/journal/raw-blobs.ts";
import { eventsOf } from "../../support/runs.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";

const MODEL = "scripted/agent";
const MIB = 1 << 20;

test("[SB6, SB7] what is printed has a limit per call and per session; a child that left its group ends", async () => {
  const printing = `head -c ${5 * MIB} /dev/zero | tr '\\0' x`;
  const leaving = "(setsid sh -c 'echo $$ > pid; sleep 60; echo LATE > late' >/dev/null 2>&1 &)";
  const commands = [`${leaving}; while [ ! -s pid ]; do :; done`, printing, printing];
  await using model = await startAgent([
    ...commands.map((command) => ({ calls: [{ name: "exec", args: { command } }] })),
    { say: "Done." },
  ]);
  const limits = { tool_output_mb: 2, session_output_mb: 3 };
  const settings = { base_url: model.baseUrl, model: MODEL, sandbox: "off", ...limits };
  using place = newTestHome(settings);
  await using program = await openPair(place);
  const session_id = "sess_1";
  await call(program, "POST", "/api/sessions", { session_id });
  await call(program, "POST", `/api/sessions/${session_id}/settings`, { yolo: true });
  const { run_id } = await startRun(program, "go", { session_id, model: MODEL });
  const { events } = await followRun(() => program, run_id);

  const results = eventsOf(events, "tool.done").map(
    ({ payload }) => payload.result as Record<string, unknown>,
  );
  assert.equal(isAlive(await pidIn(join(place.workspace, "pid"))), false);
  assert.deepEqual(
    results.map((result) => result["left_out_bytes"]),
    [undefined, 3 * MIB, 4 * MIB],
  );
  assert.match(String(results[1]?.["left_out_because"]), /tool_output_mb/);
  const total = await storedBytes(place);
  assert.ok(total < 3.5 * MIB, `${total} bytes on disk`);
});
