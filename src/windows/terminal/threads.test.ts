// A thread's replies and requests reach the peer, whichever way it comes back; who is another leaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { openDevice, type Device } from "../../../test/support/windows/terminal-device.ts";
import * as p from "../../../test/support/windows/terminal-place.ts";
import { until } from "../../../test/support/until.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import { tails, type Subscriber } from "../../kernel/server/feed/tail.ts";

async function saidIn(device: Device, thread_id: string, message_id: string, text = "hello") {
  p.say(device, message_id, text, { thread_id });
  const ack = await device.next();
  assert.equal(ack["accepted"], true, JSON.stringify(ack));
}

async function gone(device: Device): Promise<void> {
  device.ws.terminate();
  await device.closed;
}

test("[W8] what is owed in a thread reaches the next socket, which does not name it", async () => {
  await using at = await p.place();
  const first = await at.device();
  await p.connected(first);
  await saidIn(first, "t_1", "m1");
  await saidIn(first, "t_2", "m2");
  await gone(first);
  await p.ended(at.journal, await s.claimed(at.journal), "In the thread.");
  using stranger = await at.device();
  await p.connected(stranger, { peer_id: "device-0011" });
  assert.deepEqual(await stranger.rest(), [], "another's name that begins the same");
  using late = await at.device();
  await p.connected(late);
  const owed = await late.next();
  assert.deepEqual([owed["message_id"], owed["text"]], ["m1", "In the thread."]);
  await p.ended(at.journal, await s.claimed(at.journal), "As it happens.");
  assert.equal((await late.next())["text"], "As it happens.");
  await until(async () => (await at.journal.reads.unrepliedUnder(p.SESSION, 9)).length === 0);
  using again = await at.device();
  await p.connected(again);
  assert.deepEqual(await again.rest(), [], "told is told");
});

test("[W4] what waits in a thread is told too, and answered there", async () => {
  await using at = await p.place();
  const first = await at.device();
  await p.connected(first);
  await saidIn(first, "t", "m1");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await gone(first);
  using late = await at.device();
  await p.connected(late);
  const asked = await late.next();
  assert.deepEqual([asked["message_id"], asked["request_id"]], ["m1", "ap_c1"]);
  await p.connected(late);
  assert.deepEqual(await late.rest(), [], "connected again as the same: it was told");
  await p.said(late, "m2", "yes");
  assert.equal(
    (await at.journal.reads.pending({})).length,
    1,
    "outside the thread it answers nothing",
  );
  await saidIn(late, "t", "m3", "yes");
  assert.deepEqual(await at.journal.reads.pending({}), []);
});

test("[W8] as many threads as a socket can be in are told of, oldest first; the rest is kept", async () => {
  await using at = await p.place();
  for (let thread = 0; thread < 65; thread += 1) {
    const session_id = `${p.SESSION}:t${thread}`;
    const said = { session_id, message_id: `m${thread}`, text: "hello", source: "terminal" };
    await at.journal.commands.takeChannelMessage(said, s.DEFAULTS);
    await p.ended(at.journal, await s.claimed(at.journal), `re ${thread}`);
  }
  const emitted = async () => {
    using device = await at.device();
    await p.connected(device);
    return (await device.rest()).map(({ text }) => text);
  };
  assert.deepEqual(
    await emitted(),
    Array.from({ length: 63 }, (_, thread) => `re ${thread}`),
  );
  await until(async () => (await at.journal.reads.unrepliedUnder(p.SESSION, 99)).length === 2);
  assert.deepEqual(await emitted(), ["re 63", "re 64"]);
});

test("[W9] who connects as another leaves at once what the former followed", async () => {
  const joined: Subscriber[] = [];
  await using at = await p.place();
  const real = tails(at.journal, (error) => assert.fail(String(error)));
  const streams = {
    tails: {
      ...real,
      subscribe: (...[source, after, subscriber]: Parameters<typeof real.subscribe>) => {
        joined.push(subscriber);
        return real.subscribe(source, after, subscriber);
      },
    },
    heartbeatMs: 60_000,
    epoch: at.journal.epoch,
    open: new Set<never>(),
  };
  await using other = await p.serving(at.journal, { streams });
  using device = await openDevice(other.url, p.BEARER);
  await p.connected(device);
  await saidIn(device, "t", "m1");
  for (const peer_id of ["a", "b", "c"]) await p.connected(device, { peer_id });
  await device.rest();
  assert.deepEqual(
    joined.map(({ closed }) => closed),
    [true, true, true, true, false],
  );
  for (const former of joined.slice(0, 4)) former.end(); // its log cannot be read any more
  assert.deepEqual(await device.rest(), [], "the socket is the newcomer's");
});
