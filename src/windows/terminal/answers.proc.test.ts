// What words are an answer to: what their sender was shown, never what waits instead of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { openDevice } from "../../../test/support/windows/terminal-device.ts";
import * as p from "../../../test/support/windows/terminal-place.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";

const resolved = async (at: Awaited<ReturnType<typeof p.place>>, runId: string) =>
  (await s.payloadsOf(at.journal, runId, "approval.resolved")).length;

test("[W5] a request that comes while words are being taken is not answered by them", async () => {
  let ask: (() => Promise<void>) | undefined;
  await using at = await p.place({ profileModel: async () => (await ask?.(), null) });
  using device = await at.device();
  await p.connected(device);
  await p.said(device, "m1", "do it");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.intent("c1"));
  ask = async () => {
    ask = undefined;
    await s.write(at.journal, claim, d.approvalAsked("c1"), d.status("awaiting_approval"));
  };
  await p.said(device, "m2", "ok");
  assert.equal(await resolved(at, claim.runId), 0);
  const emitted = [await device.next(), ...(await device.rest())];
  assert.ok(emitted.some((each) => each["message_id"] === "m2" && each["request_id"] === "ap_c1"));
  await p.said(device, "m3", "ok");
  assert.equal(await resolved(at, claim.runId), 1, "now it was shown");
});

test("[W5, W8] words that say what they are meant for answer that and nothing else", async () => {
  await using at = await p.place();
  using device = await at.device();
  await p.connected(device);
  await p.said(device, "m1", "do it");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  assert.equal((await device.next())["request_id"], "ap_c1");
  p.say(device, "m2", "ok", { answers: null }); // typed before it was asked, sent after
  const refused = await device.next();
  assert.deepEqual([refused.type, refused["message_id"]], ["error", "m2"]);
  assert.equal(refused["request_id"], "ap_c1");
  assert.match(refused["error"] as string, /^Something waits for an answer[^]*Allow\?/);
  p.say(device, "m2", "ok", { answers: "ap_c0" });
  const late = await device.next();
  assert.match(late["error"] as string, /^What was asked has been answered elsewhere/);
  assert.equal(late["request_id"], undefined);
  p.say(device, "m2", "ok", { answers: 7 });
  assert.match((await device.next())["error"] as string, /^answers must be/);
  assert.equal(await resolved(at, claim.runId), 0);
  p.say(device, "m1", "do it");
  const duplicate = await device.next();
  assert.deepEqual([duplicate["duplicate"], duplicate["request_id"]], [true, "ap_c1"]);
  p.say(device, "m2", "ok", { answers: "ap_c1" });
  assert.equal((await device.next())["accepted"], true);
  assert.equal(await resolved(at, claim.runId), 1);
  p.say(device, "m1", "do it");
  const after = await device.next();
  assert.deepEqual(
    [after["duplicate"], after["request_id"]],
    [true, undefined],
    "it waits no more",
  );
});

test("[W5] words for a request that was shown on another socket answer it on this one", async () => {
  await using at = await p.place();
  await using deaf = await p.serving({ ...at.journal, watch: () => () => undefined });
  using device = await openDevice(deaf.url, p.BEARER);
  await p.connected(device);
  await p.said(device, "m1", "do it");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  p.say(device, "m2", "ok", { answers: "ap_c1" });
  assert.equal((await device.next())["accepted"], true);
  assert.equal(await resolved(at, claim.runId), 1);
});

test("[W5] a request of an older run that is damaged keeps no later one from being answered", async () => {
  await using at = await p.place();
  using before = await at.device();
  await p.connected(before);
  await p.said(before, "m1", "do it BAD");
  const damaged = await s.claimed(at.journal);
  await s.write(at.journal, damaged, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await before.next();
  before.ws.terminate();
  await before.closed;
  damage(at.store.path);
  await assert.rejects(at.journal.readRun(damaged.runId, 0, 50));
  const pending: typeof at.journal.reads.pending = async (of) => {
    const open = await at.journal.reads.pending(of);
    return open.flatMap((each) => [{ ...each, request_id: "ap_c1", run_id: damaged.runId }, each]);
  };
  await using listing = await p.serving({ ...at.journal, reads: { ...at.journal.reads, pending } }); // also what nobody goes on with
  using device = await openDevice(listing.url, p.BEARER);
  await p.connected(device);
  await device.rest();
  await p.said(device, "m2", "something new");
  const claim = await s.claimed(at.journal, { lost: ["runner_a"] });
  await s.write(at.journal, claim, d.started(), d.intent("c2"), d.approvalAsked("c2"));
  assert.equal((await device.next())["request_id"], "ap_c2");
  await p.said(device, "m3", "yes");
  assert.equal(await resolved(at, claim.runId), 1);
});

/** By another process, as a disk would do it. */
function damage(path: string): void {
  const sql = "UPDATE events SET body = replace(body, 'it BAD', 'it bAD')";
  const script = `const { DatabaseSync } = require("node:sqlite");
    new DatabaseSync(${JSON.stringify(path)}).exec(${JSON.stringify(sql)});`;
  execFileSync(process.execPath, ["-e", script]);
}
