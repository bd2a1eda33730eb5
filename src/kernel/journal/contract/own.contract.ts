// H12, H13: a manual command is a run of one call, once; a request about a background command is an event of its run,
// once.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import * as s from "./store.contract.ts";

const SHA = "ab".repeat(32);

export function manualCommandsContract(name: string, open: s.OpenStore): void {
  test(`${name} [H12, C11, X1] a save and a command are direct runs, once per id`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
    const save = { path: "a.txt", sha256: SHA, bytes: 2, expect: null, command_id: "k1" };
    const saves = await Promise.all(
      [journal, other].map((each) => each.commands.saveFile("s1", save)),
    );
    assert.deepEqual(s.statuses(saves).toSorted(), ["accepted", "duplicate"]);
    const [intent] = await s.payloadsOf(journal, saves[0]?.run_id ?? "", "tool.intent");
    const plan = intent?.["plan"] as { tool: string; arguments: unknown };
    assert.deepEqual(
      [plan.tool, plan.arguments, intent?.["turn_id"], intent?.["replay"]],
      ["save", { path: "a.txt", sha256: SHA, bytes: 2, expect: null }, "direct", "ask"],
    );
    const ran = await journal.commands.runCommand("s1", { command: "ls", timeout_s: 5 });
    const [second] = await s.payloadsOf(journal, ran?.run_id ?? "", "tool.intent");
    assert.deepEqual(
      [second?.["name"], second?.["risk"], second?.["label"]],
      ["exec", "execute", "ls"],
    );
    assert.equal(await journal.commands.saveFile("nobody", save), undefined);
    assert.equal(await journal.commands.runCommand("nobody", { command: "ls" }), undefined);
    await assert.rejects(
      journal.commands.saveFile("s1", { ...save, path: "b.txt" }),
      /another request/,
    );
  });

  test(`${name} [H13, X1] a request about a process is one event of an active run`, async () => {
    await using store = await open();
    const [journal, other] = [await store.connect(), await store.connect()];
    const runId = await s.start(journal, { message: "a" });
    const claim = await s.claimed(journal);
    await s.write(journal, claim, d.started());
    const place = { runId, processId: "p_1" };
    const request = { action: "input", text: "y\n", close: true, command_id: "k1" } as const;
    const asked = await Promise.all(
      [journal, other].map((each) => each.commands.askProcess(place, request)),
    );
    assert.deepEqual(s.statuses(asked).toSorted(), ["accepted", "duplicate"]);
    await journal.commands.askProcess(place, { action: "kill" });
    assert.deepEqual(await s.payloadsOf(journal, runId, "process.asked"), [
      { process_id: "p_1", action: "input", text: "y\n", close: true },
      { process_id: "p_1", action: "kill", text: "", close: false },
    ]);
    await s.end(journal, claim);
    const late = await journal.commands.askProcess(place, { action: "kill" });
    assert.deepEqual([late?.status, late?.accepted], ["not_active", false]);
    assert.equal(
      await journal.commands.askProcess({ ...place, runId: "none" }, { action: "kill" }),
      undefined,
    );
  });
}
