// The channel's frames, on a real journal and real sockets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BY_HAND, SEED } from "../../../test/e2e/terminal/seed.ts";
import { openDevice } from "../../../test/support/windows/terminal-device.ts";
import * as p from "../../../test/support/windows/terminal-place.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";

test("[W6] the document's conversation, byte for byte", async () => {
  await using at = await p.place();
  using device = await at.device();
  device.send(BY_HAND.connect);
  assert.equal(JSON.stringify(await device.next()), BY_HAND.connected);
  device.send(BY_HAND.message);
  assert.equal(JSON.stringify(await device.next()), BY_HAND.accepted);
  device.send(BY_HAND.message);
  assert.deepEqual(await device.next(), SEED.pending);
  const claim = await s.claimed(at.journal);
  await p.ended(at.journal, claim, SEED.completed.reply);
  const reply = await device.next();
  const expected = { ...SEED.reply, run_id: claim.runId, text: SEED.completed.reply };
  assert.equal(JSON.stringify(reply), JSON.stringify(expected));
  device.send(BY_HAND.message);
  assert.deepEqual(await device.next(), SEED.completed);
  device.send(SEED.ping);
  assert.deepEqual(await device.next(), SEED.pong);
});

test("[W6] what a device says of itself is the session's", async () => {
  await using at = await p.place();
  using device = await at.device();
  await p.connected(device);
  await p.said(device, "m1", "hello");
  const session = await at.journal.reads.session(p.SESSION);
  assert.deepEqual([session?.title, session?.source], ["desk-terminal", "terminal"]);
  const { runId } = await s.claimed(at.journal);
  const [queued] = await s.payloadsOf(at.journal, runId, "run.queued");
  assert.deepEqual(queued?.["metadata"], {
    channel_id: "terminal-dev",
    peer_id: "device-001",
    device_name: "desk-terminal",
  });
  assert.equal(queued?.["message_id"], "m1");
});

test("[W6] a channel has its own model and profile; one that is not configured has no door", async () => {
  await using at = await p.place();
  using device = await openDevice(at.server.at("bridge"), p.BEARER);
  assert.equal(await p.connected(device, { peer_id: "p" }), "bridge:local:p");
  await p.said(device, "m1", "hello");
  const session = await at.journal.reads.session("bridge:local:p");
  assert.deepEqual([session?.model, session?.profile], ["demo/other", "mate"]);
  for (const channel of ["nobody", "terminal-dev2", "", "%74erminal-dev", "terminal-dev%2f.."]) {
    await assert.rejects(openDevice(at.server.at(channel), p.BEARER), /no connection/, channel);
  }
});

test("[W6] bad input gets the document's error, takes nothing, and the connection stays", async () => {
  await using at = await p.place();
  using device = await at.device();
  const complaint = async (frame: object | string) => {
    device.send(frame);
    const { type, error, message_id } = await device.next();
    assert.equal(type, "error");
    return [error, message_id];
  };
  assert.deepEqual(await complaint(SEED.message), ["connect is required before message.", "m-001"]);
  assert.deepEqual(await complaint({ type: "connect" }), ["peer_id is required.", undefined]);
  await p.connected(device);
  assert.deepEqual(await complaint("{"), ["The frame is not JSON.", undefined]);
  assert.deepEqual(await complaint({ type: "message", text: "x" }), [
    "message_id is required.",
    undefined,
  ]);
  assert.deepEqual(await complaint({ ...SEED.message, text: " " }), ["text is required.", "m-001"]);
  assert.deepEqual(await complaint({ type: "subscribe" }), [
    'Unsupported websocket frame type: "subscribe".',
    undefined,
  ]);
  assert.equal(await at.journal.reads.session(p.SESSION), undefined);
  await p.said(device, "m1", "still here");
});

test("[W8] an id with another text is told, with the reply the first had", async () => {
  await using at = await p.place();
  using device = await at.device();
  await p.connected(device);
  await p.said(device, "m1", "hello");
  p.say(device, "m1", "other words");
  const error = "message_id m1 was used before with another text. Nothing was taken.";
  const pending = { ...SEED.pending, message_id: "m1" };
  assert.deepEqual(await device.next(), { ...pending, error });
  await p.ended(at.journal, await s.claimed(at.journal), "Aye.");
  await device.next();
  p.say(device, "m1", "other words");
  const completed = { ...SEED.completed, message_id: "m1", reply: "Aye.", error };
  assert.deepEqual(await device.next(), completed);
  assert.equal((await at.journal.reads.runsOf(p.SESSION)).length, 1);
});

test("[W7] user and thread have sessions of their own, in connect and in a message", async () => {
  await using at = await p.place();
  using device = await at.device();
  assert.equal(await p.connected(device, { user_id: "ida" }), "terminal-dev:ida:device-001");
  p.say(device, "m1", "hello", { thread_id: "t" });
  assert.equal((await device.next())["session_id"], "terminal-dev:ida:device-001:t");
  await p.ended(at.journal, await s.claimed(at.journal), "In the thread.");
  assert.equal((await device.next())["text"], "In the thread.");
  p.say(device, "m1", "hello", { user_id: "eve" });
  assert.equal((await device.next())["session_id"], "terminal-dev:eve:device-001");
  for (let thread = 0; thread < 61; thread += 1) {
    p.say(device, "m1", "hello", { thread_id: `t${thread}` });
    assert.equal((await device.next()).type, "ack");
  }
  p.say(device, "m1", "hello", { thread_id: "one more" });
  assert.match((await device.next())["error"] as string, /^At most 64 threads/);
});

test("[W6] connect can be sent again: as the same, or as another peer, whose replies come from then on", async () => {
  await using at = await p.place();
  using device = await at.device();
  assert.equal(await p.connected(device), p.SESSION);
  assert.equal(await p.connected(device), p.SESSION);
  await p.said(device, "m1", "as the first");
  const first = await s.claimed(at.journal);
  assert.equal(await p.connected(device, { peer_id: "other" }), "terminal-dev:local:other");
  await p.said(device, "m1", "as the other");
  await p.ended(at.journal, first, "For the first.");
  await p.ended(at.journal, await s.claimed(at.journal), "For the other.");
  assert.equal((await device.next())["text"], "For the other.");
  assert.deepEqual(await device.rest(), []);
  assert.equal(await p.connected(device), p.SESSION);
  assert.equal((await device.next())["text"], "For the first.");
});

test("[W9, A2] the token: in the header, or in connect; a right one is taken after any number of wrong ones", async () => {
  await using at = await p.place();
  using bare = await at.device({});
  bare.send(SEED.connect);
  assert.match((await bare.next())["error"] as string, /^A token is needed/);
  bare.send(SEED.message);
  assert.match((await bare.next())["error"] as string, /^connect is required/);
  for (let tries = 0; tries < 12; tries += 1) {
    bare.send({ ...SEED.connect, token: `guess ${tries}` });
    assert.equal((await bare.next())["error"], "The token is wrong.");
  }
  await p.connected(bare, { token: p.TOKEN });
  await p.connected(bare, { peer_id: "other" });
  await assert.rejects(at.device({ headers: { authorization: "Bearer wrong" } }), /no connection/);
});

test("[A4] a key short enough to be guessed has to wait after too many wrong ones", async () => {
  const hosts = { has: () => true } as unknown as ReadonlySet<string>;
  await using at = await p.place({
    auth: { token: () => "hunter2", required: true, hosts: () => hosts },
  });
  using guessing = await at.device({});
  const answers: unknown[] = [];
  for (let tries = 0; tries < 12; tries += 1) {
    guessing.send({ ...SEED.connect, token: `guess ${tries}` });
    answers.push((await guessing.next())["error"]);
  }
  assert.match(answers.at(-1) as string, /^Too many failures/);
  guessing.send({ ...SEED.connect, token: "hunter2" });
  assert.match((await guessing.next())["error"] as string, /^Too many failures/);
});

test("[A2] without authentication nobody needs a token", async () => {
  const hosts = { has: () => true } as unknown as ReadonlySet<string>;
  await using at = await p.place({
    auth: { token: () => p.TOKEN, required: false, hosts: () => hosts },
  });
  using device = await at.device({});
  assert.equal(await p.connected(device), p.SESSION);
});

test("[W8] a full queue is told, and nothing of the message is kept", async () => {
  await using at = await p.place();
  using device = await at.device();
  await p.connected(device);
  for (let count = 0; ; count += 1) {
    p.say(device, `m${count}`, "more");
    const { type, error, message_id } = await device.next();
    if (type === "ack") continue;
    assert.deepEqual([type, message_id], ["error", `m${count}`]);
    assert.match(error as string, /wait/);
    assert.equal(await at.journal.reads.channelMessage(p.SESSION, `m${count}`), undefined);
    break;
  }
});
