// A text-only device and the real program, whose processes are killed under it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "./seed.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { call, type Server } from "../../support/http.ts";
import {
  openDevice,
  type Device,
  type DeviceFrame,
} from "../../support/windows/terminal-device.ts";
import { until } from "../../support/until.ts";

const SESSION = SEED.connected.session_id;
const SLOW = `pace 25\nsay ${"word ".repeat(160)}end`;
const SLOW_REPLY = `${"word ".repeat(160)}end`;

const channel = ({ url }: { url: string }) =>
  `${url.replace("http", "ws")}/api/channels/terminal-dev/ws`;

async function connect(program: Server, more: object = {}): Promise<Device> {
  const headers = { authorization: `Bearer ${program.token}` };
  // After a kill the server may be away for a moment.
  const device = await until(() =>
    openDevice(channel(program), { headers }).catch(() => undefined),
  );
  device.send({ ...SEED.connect, ...more });
  assert.equal((await device.next()).type, "connected");
  return device;
}

async function say(device: Device, message_id: string, text: string): Promise<DeviceFrame> {
  device.send({ type: "message", message_id, text });
  return device.next();
}

const runsOf = async (program: Server, session = SESSION) => {
  const { body } = await call<{ runs: { run_id: string; status: string }[] }>(
    program,
    "GET",
    `/api/sessions/${encodeURIComponent(session)}`,
  );
  return body.data.runs;
};

/** The run's text has begun to come. */
async function running(program: Server): Promise<void> {
  await until(async () => {
    const [run] = await runsOf(program);
    const { body } = await call<{ seq: number }>(program, "GET", `/api/runs/${run?.run_id}`);
    return body.data.seq > 8;
  }, "a run at work");
}

test("[W6] the document's checklist: connect, message, ack, reply, the same session after a reconnect", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  {
    using device = await connect(program);
    assert.equal((await say(device, "device-001-000001", "say Hello, device."))["accepted"], true);
    const reply = await device.next();
    const { run_id: _run, ...rest } = reply;
    assert.deepEqual(rest, {
      type: "message",
      role: "assistant",
      message_id: "device-001-000001",
      text: "Hello, device.",
      finish_reason: "stop",
    });
    device.send(SEED.ping);
    assert.deepEqual(await device.next(), SEED.pong);
  }
  using again = await connect(program);
  assert.deepEqual(await again.rest(), []);
  assert.equal((await say(again, "device-001-000002", "fail out of ink"))["session_id"], SESSION);
  const failed = await again.next();
  assert.equal(failed["finish_reason"], "error");
  assert.match(failed["text"] as string, /out of ink/);
  assert.equal((await runsOf(program)).length, 2);
});

test("[W8, V5] the server is killed between ack and reply: the next socket gets it, once", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["serve"] });
  using before = await connect(program);
  await say(before, "m1", SLOW);
  await running(program);
  await program.kill("serve");
  await before.closed;
  assert.deepEqual(
    before.frames.map(({ type }) => type),
    ["connected", "ack"],
  );
  using device = await connect(program);
  // The reply may have been owed already, or comes later: once it comes in any case.
  const first = await say(device, "m1", SLOW);
  const [ack, reply] = [first, await device.next()].toSorted((a) => (a.type === "ack" ? -1 : 1));
  assert.deepEqual([ack?.["accepted"], ack?.["duplicate"]], [false, true]);
  assert.equal(reply?.["text"], SLOW_REPLY);
  assert.deepEqual(await device.rest(), []);
  using late = await connect(program);
  assert.deepEqual(await late.rest(), [], "told is told");
  assert.equal((await runsOf(program)).length, 1);
});

test("[W8, R5] the runner is killed between ack and reply: the socket gets it all the same", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  using device = await connect(program);
  await say(device, "m1", SLOW);
  await running(program);
  await program.kill("work");
  const reply = await device.next();
  assert.deepEqual([reply["text"], reply["finish_reason"]], [SLOW_REPLY, "stop"]);
});

test("[W8, D1] everything is killed between ack and reply: after a restart it is owed, and ids are known", async () => {
  using place = newTestHome();
  {
    await using program = await openPair(place, { apart: ["serve", "work"] });
    using device = await connect(program);
    await say(device, "m1", SLOW);
    await running(program);
    await program.killAll();
  }
  await using program = await openPair(place);
  using device = await connect(program);
  assert.equal((await device.next())["text"], SLOW_REPLY);
  const duplicate = await say(device, "m1", SLOW);
  assert.deepEqual([duplicate["duplicate"], duplicate["reply"]], [true, SLOW_REPLY]);
  const clash = await say(device, "m1", "say something else");
  assert.match(clash["error"] as string, /was used before with another text/);
  assert.equal((await runsOf(program)).length, 1);
});

test("[W4, W5, X8] an approval asked before a restart is given in words after it", async () => {
  using place = newTestHome();
  {
    await using program = await openPair(place, { apart: ["serve", "work"] });
    using device = await connect(program);
    await say(device, "m1", "exec echo ahoy > ahoy.txt\nsay It is written.");
    const asked = await device.next();
    assert.equal(asked["finish_reason"], "needs_input");
    assert.match(asked["text"] as string, /echo ahoy > ahoy\.txt[^]*Reply yes/);
    await program.killAll();
  }
  await using program = await openPair(place);
  using device = await connect(program);
  assert.equal((await device.next())["finish_reason"], "needs_input");
  await say(device, "m2", "perhaps");
  assert.equal((await device.next())["finish_reason"], "needs_input");
  await say(device, "m3", "Yes");
  const reply = await device.next();
  assert.deepEqual([reply["message_id"], reply["text"]], ["m3", "It is written."]);
});

test("[W4, W5] a question is answered from the device; another window sees both", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  using device = await connect(program);
  await say(device, "m1", "clarify Which one? | red | blue\nsay Good.");
  assert.match((await device.next())["text"] as string, /^Which one\?\nReply “red”, “blue”/);
  const pending = () => call<{ pending: unknown[] }>(program, "GET", "/api/pending");
  assert.equal((await pending()).body.data.pending.length, 1);
  await say(device, "m2", "blue");
  assert.equal((await device.next())["text"], "Good.");
  assert.deepEqual((await pending()).body.data.pending, []);
});

test("[W7] two peers, and a peer whose name looks like another's thread, have nothing in common", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  using one = await connect(program, { peer_id: "a" });
  using two = await connect(program, { peer_id: "a:t" });
  using three = await connect(program, { peer_id: "a", thread_id: "t" });
  const devices = [one, two, three];
  const sessions = new Set<unknown>();
  for (const [index, device] of devices.entries()) {
    sessions.add((await say(device, "m1", `say For ${index}.`))["session_id"]);
    assert.equal((await device.next())["text"], `For ${index}.`);
  }
  assert.equal(sessions.size, 3);
  for (const device of devices) assert.deepEqual(await device.rest(), []);
});

test("[W9, A2] a token in connect opens the door; without one nothing is taken", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  using device = await openDevice(channel(program));
  device.send(SEED.connect);
  assert.equal((await device.next()).type, "error");
  assert.equal((await say(device, "m1", "say no")).type, "error");
  device.send({ ...SEED.connect, token: program.token });
  assert.deepEqual(await device.next(), SEED.connected);
  await say(device, "m1", "say yes");
  assert.equal((await device.next())["text"], "yes");
  await assert.rejects(
    openDevice(channel(program).replace("terminal-dev", "other")),
    /no connection/,
  );
});
