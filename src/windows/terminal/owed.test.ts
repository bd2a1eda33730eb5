// What is read back from the journal: for whoever comes in the middle, and for whoever asks again.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { openDevice, type Device } from "../../../test/support/windows/terminal-device.ts";
import * as p from "../../../test/support/windows/terminal-place.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";

async function newcomer(at: Awaited<ReturnType<typeof p.place>>): Promise<Device> {
  const device = await at.device();
  await p.connected(device);
  return device;
}
const about = ({ message_id, request_id, run_id }: Record<string, unknown>) => [
  message_id,
  request_id,
  run_id,
];

test("[W1] who comes in the middle of a run is told as if there from the beginning", async () => {
  await using at = await p.place();
  using first = await newcomer(at);
  await p.said(first, "m1", "tell me");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.turnStarted(1), d.token("m1", "Half an answer"));
  await using other = await p.serving(at.journal); // that has not seen the beginning
  using device = await openDevice(other.url, p.BEARER);
  await p.connected(device);
  assert.deepEqual(await device.rest(), []);
  const seq = (await at.journal.reads.run(claim.runId))?.seq ?? 0;
  await s.write(at.journal, claim, d.done(seq + 1, "cancelled"));
  const final = await device.next();
  assert.equal(final["text"], "Half an answer\n\nThe run was stopped.");
});

test("[W4] a subagent that began before somebody came asks in its run's name", async () => {
  await using at = await p.place();
  using first = await newcomer(at);
  await p.said(first, "m1", "delegate it");
  const claim = await s.claimed(at.journal);
  const child = { subagent_id: "k", child_run_id: "k", call_id: "c1", title: "Scout" };
  const started = {
    type: "subagent.started",
    payload: { ...child, prompt: "go", depth: 1 },
  } as const;
  await s.write(at.journal, claim, d.started(), d.intent("c1"), started);
  await at.journal.startChild({ runId: "k", parent: claim, message: "go" });
  const inner = await s.claimed(at.journal, { childrenOnly: true });
  await using other = await p.serving(at.journal);
  using device = await openDevice(other.url, p.BEARER);
  await p.connected(device);
  await device.rest();
  await s.write(at.journal, inner, d.started(), d.intent("c9"), d.approvalAsked("c9"));
  const asked = await device.next();
  assert.deepEqual(about(asked), ["m1", "ap_c9", claim.runId]);
  assert.match(asked["text"] as string, /^\[Scout\] Allow\?/);
  await p.said(device, "m2", "no");
  const [answer] = await s.payloadsOf(at.journal, "k", "approval.resolved");
  assert.equal(answer?.["choice"], "deny");
});

test("[W4] what another window's run waits for is told to who connects, before their own that waits behind it", async () => {
  await using at = await p.place();
  const runId = await s.start(at.journal, { session_id: p.SESSION, message_id: "web-1" });
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.intent("c1"));
  using device = await newcomer(at);
  await p.said(device, "m1", "behind it");
  await s.write(at.journal, claim, d.approvalAsked("c1"));
  assert.deepEqual(about(await device.next()), ["m1", "ap_c1", runId], "m1 waits for it");
  using late = await newcomer(at);
  assert.deepEqual(about(await late.next()), ["m1", "ap_c1", runId]);
  await p.said(late, "m2", "yes");
  await p.ended(at.journal, claim, "The web's.");
  assert.deepEqual((await late.next())["message_id"], "m2");
  await p.ended(at.journal, await s.claimed(at.journal), "The device's.");
  const own = await late.next();
  assert.deepEqual([own["message_id"], own["text"]], ["m1", "The device's."]);
  await s.start(at.journal, { session_id: p.SESSION, message_id: "web-2" });
  const next = await s.claimed(at.journal);
  await s.write(at.journal, next, d.started(), d.intent("c2"), d.approvalAsked("c2"));
  using last = await newcomer(at);
  assert.deepEqual(
    about(await last.next()),
    ["web-2", "ap_c2", next.runId],
    "nothing waits for it",
  );
});

test("[W8] a duplicate is told what its message was answered, while its run goes on for others", async () => {
  await using at = await p.place();
  using device = await newcomer(at);
  await p.said(device, "m1", "list it");
  const claim = await s.claimed(at.journal);
  const asked = [d.approvalAsked("c1"), d.status("awaiting_approval")];
  await s.write(at.journal, claim, d.started(), d.intent("c1"), ...asked);
  const { text: request } = await device.next();
  const again = async (id: string, text: string) => {
    p.say(device, id, text);
    const { pending, reply } = await device.next();
    return [pending, reply];
  };
  assert.deepEqual(await again("m1", "list it"), [false, request], "it waits");
  await p.said(device, "m2", "why?");
  await device.next();
  await p.said(device, "m3", "yes");
  assert.deepEqual(await again("m1", "list it"), [false, request], "it had its reply");
  assert.deepEqual(await again("m2", "why?"), [false, request]);
  assert.deepEqual(await again("m3", "yes"), [true, undefined], "its reply is to come");
  await s.write(at.journal, claim, d.intent("c2"), d.clarifyAsked("cl", "c2"));
  const { text: next } = await device.next();
  assert.deepEqual(await again("m2", "why?"), [false, request], "what comes later is not its");
  assert.deepEqual(await again("m3", "yes"), [false, next]);
});

test("[W8] another window's message with the same id is another message", async () => {
  await using at = await p.place();
  using device = await newcomer(at);
  await p.said(device, "m1", "mine");
  await p.ended(at.journal, await s.claimed(at.journal), "Mine.");
  await device.next();
  await s.start(at.journal, { session_id: p.SESSION, message_id: "m1" });
  await p.ended(at.journal, await s.claimed(at.journal), "Not mine.");
  await p.said(device, "m2", "and now");
  await p.ended(at.journal, await s.claimed(at.journal), "Now.");
  assert.equal((await device.next())["text"], "Now.");
});
