// One life of the product's own device, and a second one after it was killed: what it did in each situation.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SEED } from "../../e2e/terminal/seed.ts";
import { newTestHome } from "../../support/program.ts";
import { driveDevice, type Seen } from "./driven.ts";

type Driven = Awaited<ReturnType<typeof driveDevice>>;

export const idOf = (counter: number) => `device-001-${String(counter).padStart(6, "0")}`;
const accepted = (message_id: string) => ({ ...SEED.accepted, message_id });
const reply = (message_id: string, text: string) => ({ ...SEED.reply, message_id, text });
const FAILED_BEFORE = "this turn failed before";

export type Situations = Awaited<ReturnType<typeof playScript>>;

export async function playScript() {
  using place = newTestHome();
  await using device = await driveDevice(place.home);
  const turns = await takeTurns(device, place.home);
  const unusual = await hearOddities(device);
  const known = await useKnownIds(device);
  const lost = await loseConnections(device);
  await device.stop("SIGKILL");
  await device.start();
  device.emit(SEED.connected);
  const inFlight = await device.message();
  device.emit(accepted(inFlight), reply(inFlight, "At last."));
  const killed = await device.look();
  await device.stop();
  return { ...turns, ...unusual, ...known, ...lost, killed, exitCode: device.exitCode() };
}

/** Two lines, and a reply to each. */
async function takeTurns(device: Driven, home: string) {
  await device.start();
  device.type("hello", "world");
  device.emit(SEED.error);
  const early: Seen = await device.look();
  device.emit(SEED.connected);
  await device.message();
  const memory = readFileSync(join(home, "terminal-device-001.json"), "utf8");
  const first = await device.look();
  device.emit(accepted(idOf(1)));
  const acknowledged = await device.look();
  device.emit(reply(idOf(1), "assistant reply"));
  await device.message();
  const second = await device.look();
  device.emit(...[1, 2, 3].map(() => reply(idOf(2), "Aye."))); // before its acknowledgement, and twice more
  const thrice = await device.look();
  return { early, memory, first, acknowledged, second, thrice };
}

/** Errors, and what a server should not say. Each time another line waits. */
async function hearOddities(device: Driven) {
  device.type("three", "four", "four", "six", "seven", "eight");
  await device.message();
  device.emit(accepted(idOf(3)), reply("device-001-999999", "Not yours."));
  const foreign = await device.look();
  device.emit(SEED.error);
  await device.message();
  const failedLate = await device.look();
  device.emit(SEED.error);
  await device.message();
  const failedEarly = await device.look();
  device.emit({ ...accepted(idOf(5)), accepted: false, error: "no room" });
  await device.message();
  const refused = await device.look();
  device.emit("not json", "[1]", "7", { type: "news" }, { ...reply(idOf(6), "No."), role: "user" });
  device.emit(accepted("else"));
  const odd = await device.look();
  device.emit({ ...accepted(idOf(6)), mood: 7 }, { ...reply(idOf(6), "Six."), mood: 7 });
  await device.message();
  const fields = await device.look();
  device.emit({ ...accepted(idOf(7)), accepted: false });
  const unclear = await device.look();
  device.emit(reply(idOf(7), "Seven."));
  await device.message();
  const clear = await device.look();
  return { foreign, failedLate, failedEarly, refused, odd, fields, unclear, clear };
}

/** Duplicates. */
async function useKnownIds(device: Driven) {
  device.emit({ ...SEED.pending, message_id: idOf(8) });
  const pending = await device.look();
  device.emit(reply(idOf(8), "Eight."));
  const waited = await device.look();
  device.type("nine");
  device.emit({ ...SEED.pending, message_id: await device.message(), error: FAILED_BEFORE });
  const pendingFailed = await device.look();
  device.type("ten");
  const old = { ...SEED.completed, reply: "an old reply" };
  device.emit({ ...old, message_id: await device.message() });
  const higher = await device.message(2);
  const renumbered = await device.look();
  device.emit(accepted(higher), reply(higher, "Ten."));
  await device.look();
  device.type("eleven");
  await device.message();
  let tries = 0;
  let always = await device.look();
  for (; !always.err.includes(FAILED_BEFORE) && tries < 100; tries += 1) {
    const error = { ...SEED.completed, error: FAILED_BEFORE };
    device.emit({ ...error, message_id: always.sent.at(-1)?.["message_id"] });
    always = await device.look();
  }
  device.emit(SEED.error);
  const idle = await device.look();
  return { pending, waited, pendingFailed, renumbered, always, tries, idle };
}

/** Lost before an acknowledgement, before `connected`, and after an acknowledgement. */
async function loseConnections(device: Driven) {
  device.type("twelve");
  await device.message();
  const kept = await device.look();
  await device.drop();
  const lost = await device.look({ connected: false });
  await device.comes();
  await device.drop();
  const unconnected = await device.look({ connected: false });
  await device.comes();
  device.emit(SEED.connected);
  const message_id = await device.message();
  device.emit({ ...SEED.completed, message_id });
  const back = await device.look();
  device.type("thirteen");
  device.emit(accepted(await device.message()));
  const waiting = await device.look();
  await device.drop();
  const lostAgain = await device.look({ connected: false });
  await device.comes();
  device.emit(SEED.connected);
  await device.message();
  const backAgain = await device.look();
  return { kept, lost, unconnected, back, waiting, lostAgain, backAgain };
}
