// Which replies reach which sockets: what is owed, what waits, and who answered.
import { until } from "../../../test/support/until.ts";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BY_HAND, SEED } from "../../../test/e2e/terminal/seed.ts";
import * as d from "../../../test/support/drafts.ts";
import { stopPeers } from "../../../test/support/peer.ts";
import { openDevice } from "../../../test/support/windows/terminal-device.ts";
import * as p from "../../../test/support/windows/terminal-place.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";

after(stopPeers);

test("[W1] messages while a run is going are queued and answered in order", async () => {
  await using at = await p.place();
  using device = await at.device();
  await p.connected(device);
  for (const id of ["m1", "m2", "m3"]) await p.said(device, id, `text of ${id}`);
  for (const id of ["m1", "m2", "m3"]) {
    await p.ended(at.journal, await s.claimed(at.journal), `re ${id}`);
    const { message_id, text } = await device.next();
    assert.deepEqual([message_id, text], [id, `re ${id}`]);
  }
  await until(async () => (await at.journal.reads.unreplied(p.SESSION)).length === 0);
});

test("[W8] what nobody was there for is owed to the next socket, on any server, once", async () => {
  await using at = await p.place();
  {
    using device = await at.device();
    await p.connected(device);
    await p.said(device, "m1", "one");
    await p.said(device, "m2", "two");
    device.ws.terminate();
    await device.closed;
  }
  await p.ended(at.journal, await s.claimed(at.journal), "re one");
  await using other = await p.serving(at.journal);
  using late = await openDevice(other.url, p.BEARER);
  await p.connected(late);
  assert.equal((await late.next())["text"], "re one");
  await p.ended(at.journal, await s.claimed(at.journal), "re two");
  assert.equal((await late.next())["text"], "re two");
  using again = await openDevice(other.url, p.BEARER);
  await p.connected(again);
  assert.deepEqual(await again.rest(), [], "told is told");
});

test("[W8] a duplicate that is pending gets the final message on the new socket", async () => {
  await using at = await p.place();
  using before = await at.device();
  await p.connected(before);
  await p.said(before, "device-001-000001", "hello");
  before.ws.terminate();
  using device = await at.device();
  await p.connected(device);
  device.send(BY_HAND.message);
  assert.deepEqual(await device.next(), SEED.pending);
  await p.ended(at.journal, await s.claimed(at.journal), "Aye.");
  assert.equal((await device.next())["text"], "Aye.");
});

test("[W1] every socket of a peer is told, on every server; other peers are not", async () => {
  await using at = await p.place();
  await using other = await p.serving(await at.store.connect());
  using first = await at.device();
  using second = await openDevice(other.url, p.BEARER);
  using stranger = await openDevice(other.url, p.BEARER);
  await p.connected(first);
  await p.connected(second);
  await p.connected(stranger, { peer_id: "stranger" });
  for (const id of ["m1", "m2"]) {
    await p.said(first, id, "hello");
    await p.ended(at.journal, await s.claimed(at.journal), `re ${id}`);
    const emitted = await first.next();
    assert.equal(emitted["text"], `re ${id}`);
    assert.deepEqual(await second.next(), emitted);
  }
  for (const device of [first, second, stranger]) assert.deepEqual(await device.rest(), []);
});

/** A device whose run m1 waits for an approval, and was told so. */
async function asking(
  at: Awaited<ReturnType<typeof p.place>>,
  ...more: Parameters<typeof s.write>[2][]
) {
  const device = await at.device();
  await p.connected(device);
  await p.said(device, "m1", "list it");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"), ...more);
  const asked = await device.next();
  assert.deepEqual(
    [asked["finish_reason"], asked["message_id"], asked["request_id"]],
    ["needs_input", "m1", "ap_c1"],
  );
  return { device, claim };
}

test("[W4, W5] an approval is asked for and given in words", async () => {
  await using at = await p.place();
  const { device, claim } = await asking(at);
  using _device = device;
  p.say(device, "m2", "what does that do?");
  assert.equal((await device.next())["accepted"], true);
  const again = await device.next();
  assert.deepEqual([again["finish_reason"], again["message_id"]], ["needs_input", "m2"]);
  await p.said(device, "m3", "yes");
  assert.deepEqual(await at.journal.reads.pending({}), []);
  const [answer] = await s.payloadsOf(at.journal, claim.runId, "approval.resolved");
  assert.deepEqual([answer?.["choice"], answer?.["by"]], ["once", "terminal"]);
  await p.ended(at.journal, claim, "Listed.");
  const final = await device.next();
  assert.deepEqual([final["text"], final["message_id"]], ["Listed.", "m3"]);
  assert.deepEqual(await device.rest(), []);
  await until(async () => (await at.journal.reads.unreplied(p.SESSION)).length === 0);
  assert.equal((await at.journal.reads.runsOf(p.SESSION)).length, 1);
  for (const [id, reply] of [
    ["m1", "Listed."],
    ["m3", "Listed."],
  ]) {
    p.say(device, id as string, id === "m1" ? "list it" : "yes");
    assert.equal((await device.next())["reply"], reply);
  }
});

test("[W4] the next request follows the answer to the first", async () => {
  await using at = await p.place();
  const { device } = await asking(at, d.intent("c2"), d.approvalAsked("c2"));
  using _device = device;
  await p.said(device, "m2", "no");
  const next = await device.next();
  assert.deepEqual([next["request_id"], next["message_id"]], ["ap_c2", "m2"]);
  assert.deepEqual(await device.rest(), [], "and only once");
});

test("[W4] what was answered before anyone could be told is not asked", async () => {
  await using at = await p.place();
  using device = await at.device();
  await p.connected(device);
  await p.said(device, "m1", "list it");
  const claim = await s.claimed(at.journal);
  const both = [d.approvalAsked("c1"), d.approvalGiven("c1", "once")];
  await s.write(at.journal, claim, d.started(), d.intent("c1"), ...both);
  await p.ended(at.journal, claim, "Listed.");
  assert.equal((await device.next())["text"], "Listed.");
});

test("[W5, W8] asked, answered elsewhere and ended while nobody was there: the end is owed", async () => {
  await using at = await p.place();
  const { device, claim } = await asking(at);
  device.ws.terminate();
  await device.closed;
  const ids = { runId: claim.runId, approvalId: "ap_c1" };
  await at.journal.commands.respondApproval(ids, { choice: "once", by: "console" });
  await p.ended(at.journal, claim, "Listed.");
  using late = await at.device();
  await p.connected(late);
  const final = await late.next();
  assert.deepEqual([final["message_id"], final["text"]], ["m1", "Listed."]);
});

test("[W4] what waits is told to whoever connects, until it is answered", async () => {
  await using at = await p.place();
  const { device, claim } = await asking(at);
  device.ws.terminate();
  for (const _again of [1, 2]) {
    using late = await at.device();
    await p.connected(late);
    assert.equal((await late.next())["request_id"], "ap_c1");
    assert.deepEqual(await late.rest(), []);
  }
  using late = await at.device();
  await p.connected(late);
  await late.next();
  await p.said(late, "m2", "yes");
  using another = await at.device();
  await p.connected(another);
  assert.deepEqual(await another.rest(), [], "it is answered, and the run at work");
  await p.ended(at.journal, claim, "Listed.");
  assert.equal((await late.next())["message_id"], "m2");
  assert.equal((await another.next())["text"], "Listed.");
});

test("[W5] an answer from another window is seen: the final message comes all the same", async () => {
  await using at = await p.place();
  const { device, claim } = await asking(at);
  using _device = device;
  const ids = { runId: claim.runId, approvalId: "ap_c1" };
  await at.journal.commands.respondApproval(ids, { choice: "deny", by: "console" });
  p.say(device, "m2", "yes");
  const { type, error, message_id } = await device.next();
  assert.deepEqual([type, message_id], ["error", "m2"]);
  assert.match(error as string, /^What was asked has been answered elsewhere/);
  assert.equal((await at.journal.reads.runsOf(p.SESSION)).length, 1, "a late yes is no new run");
  await p.ended(at.journal, claim, "Then not.");
  const final = await device.next();
  assert.deepEqual([final["text"], final["message_id"]], ["Then not.", "m1"]);
  await p.said(device, "m3", "yes");
  assert.equal((await at.journal.reads.runsOf(p.SESSION)).length, 2, "now it is something new");
});

test("[W4] a request of a run that another window started is told, and answered only by who saw it", async () => {
  await using at = await p.place();
  using device = await at.device();
  await p.connected(device);
  await p.said(device, "m1", "first");
  await p.ended(at.journal, await s.claimed(at.journal), "re first");
  await device.next();
  await s.start(at.journal, { session_id: p.SESSION, message_id: "web-1" });
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  const asked = await device.next();
  assert.deepEqual([asked["request_id"], asked["message_id"]], ["ap_c1", "web-1"]);
  await p.said(device, "m2", "yes");
  await p.ended(at.journal, claim, "Done for both.");
  assert.deepEqual((await device.next())["message_id"], "m2");
  await s.start(at.journal, { session_id: p.SESSION, message_id: "web-2" });
  await p.ended(at.journal, await s.claimed(at.journal), "Nobody here asked.");
  assert.deepEqual(await device.rest(), []);
});

test("[W5] words are an answer only to what was asked on this socket", async () => {
  await using at = await p.place();
  const { device: first, claim } = await asking(at);
  first.ws.terminate();
  // A server that hears of nothing: its devices know what they were told when they connected.
  await using deaf = await p.serving({ ...at.journal, watch: () => () => undefined });
  using device = await openDevice(deaf.url, p.BEARER);
  await p.connected(device);
  assert.equal((await device.next())["request_id"], "ap_c1");
  const ids = { runId: claim.runId, approvalId: "ap_c1" };
  await at.journal.commands.respondApproval(ids, { choice: "deny", by: "console" });
  await s.write(at.journal, claim, d.intent("c2"), d.approvalAsked("c2"));
  p.say(device, "m2", "yes");
  assert.match((await device.next())["error"] as string, /^What was asked has been answered/);
  p.say(device, "m3", "yes");
  const { error, message_id } = await device.next();
  assert.match(error as string, /^Something waits for an answer.*\n\nAllow\?\n {2}ls\n/s);
  assert.equal(message_id, "m3");
  assert.equal((await at.journal.reads.pending({})).length, 1, "nothing was allowed so far");
  await p.said(device, "m4", "yes");
  assert.deepEqual(await at.journal.reads.pending({}), []);
});
