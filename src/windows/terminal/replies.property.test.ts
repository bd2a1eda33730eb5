// Devices that come and go, a runner that asks and ends, and another window that answers, in any order:
// whoever is connected is told, nothing twice, and in the end nothing is owed.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as d from "../../../test/support/drafts.ts";
import type { Device, DeviceFrame } from "../../../test/support/windows/terminal-device.ts";
import * as p from "../../../test/support/windows/terminal-place.ts";
import { until } from "../../../test/support/until.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import type { Claim } from "../../kernel/journal/journal.ts";

type Move = "open" | "drop" | "say" | "yes" | "ask" | "end" | "web answers" | "web starts";
const moves = fc.array(
  fc.oneof(fc.constantFrom<Move>("open", "drop", "yes", "web answers", "web starts"), {
    weight: 2,
    arbitrary: fc.constantFrom<Move>("say", "ask", "end"),
  }),
  { minLength: 5, maxLength: 30 },
);

type At = Awaited<ReturnType<typeof p.place>>;

/** One peer's life. */
function lifeOf(at: At, peer: string) {
  const session = `terminal-dev:local:${peer}`;
  const { journal } = at;
  const devices: Device[] = [];
  const everyone: Device[] = [];
  const accepted: string[] = [];
  const ofDevices = new Set<string>(); // runs that a device's message began or answered
  const finals: string[] = [];
  let claim: Claim | undefined;
  let count = 0;

  const said = async (text: string) => {
    const device = devices.at(-1);
    if (!device) return;
    const id = `m${(count += 1)}`;
    p.say(device, id, text);
    const answer = await until(
      () => device.frames.find(({ type, message_id }) => type !== "message" && message_id === id),
      `an answer to ${id}`,
    );
    if (answer.type !== "ack") return; // answered elsewhere, or not seen yet: nothing was taken
    accepted.push(id);
    const message = await journal.reads.channelMessage(session, id);
    if (message) ofDevices.add(message.run_id);
  };
  const all = (emitted: (frame: DeviceFrame) => boolean, what: string) =>
    until(() => devices.every(({ frames }) => frames.some(emitted)), `${peer}: ${what}`);
  const current = async () => (claim ??= await s.claimNext(journal));

  const act: Record<Move, () => Promise<void>> = {
    async open() {
      const device = await at.device();
      await p.connected(device, { peer_id: peer });
      await device.rest();
      devices.push(device);
      everyone.push(device);
    },
    async drop() {
      const device = devices.shift();
      device?.ws.terminate();
      await device?.closed;
    },
    say: () => said(`something ${count}`),
    yes: () => said("yes"),
    async ask() {
      const mine = await current();
      if (!mine) return;
      const before = await journal.reads.pending({ sessionId: session });
      const call = `c${(count += 1)}_${peer}`;
      await s.write(journal, mine, d.intent(call), d.approvalAsked(call));
      if (before.length > 0) return; // told when its turn comes
      await all(({ request_id }) => request_id === `ap_${call}`, `ap_${call}`);
    },
    async end() {
      const mine = await current();
      if (!mine) return;
      claim = undefined;
      const text = `end of ${mine.runId}`;
      await p.ended(journal, mine, text);
      if (!ofDevices.has(mine.runId)) return;
      finals.push(text);
      await all((frame) => frame["text"] === text, text);
    },
    async "web answers"() {
      const [request] = await journal.reads.pending({ sessionId: session });
      if (!request) return;
      const ids = { runId: request.run_id, approvalId: request.request_id };
      await journal.commands.respondApproval(ids, { choice: "once", by: "console" });
      const [next] = await journal.reads.pending({ sessionId: session });
      if (next) await all(({ request_id }) => request_id === next.request_id, next.request_id);
    },
    async "web starts"() {
      await s.start(journal, { session_id: session, message: "from the web" });
    },
  };

  async function finish(): Promise<void> {
    await act.open();
    while (await current()) {
      while ((await journal.reads.pending({ sessionId: session })).length > 0)
        await act["web answers"]();
      await act.end();
    }
    await until(
      async () => (await journal.reads.unreplied(session)).length === 0,
      "nothing is owed",
    );
    for (const device of devices) await device.rest();
    for (const device of everyone) device.ws.terminate();
  }

  return { act, finish, everyone, accepted, finals };
}

test("[W1, W4, W8] in any order: everyone connected is told, once each, and nobody is forgotten", async () => {
  await using at = await p.place();
  let lives = 0;
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const life = lifeOf(at, `peer-${(lives += 1)}`);
      for (const move of all) await life.act[move]();
      await life.finish();
      const heard = life.everyone.map(({ frames }) =>
        frames.filter(({ type }) => type === "message"),
      );
      for (const [index, frames] of heard.entries()) {
        const keys = frames.map((frame) => JSON.stringify(frame));
        assert.equal(new Set(keys).size, keys.length, `socket ${index} was told something twice`);
        for (const { text, run_id } of frames) assert.ok(text !== "" && run_id !== "");
      }
      const texts = new Set(heard.flat().map(({ text }) => text));
      for (const final of life.finals) assert.ok(texts.has(final), `${final} was heard`);
      for (const id of life.accepted) {
        assert.ok(
          heard.flat().some(({ message_id }) => message_id === id),
          `${id} has a reply`,
        );
      }
    }),
    { numRuns: 60 },
  );
});
