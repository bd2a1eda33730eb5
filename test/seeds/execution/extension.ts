// Events that only an extension knows: written into a journal before the program starts, told by the program.
import assert from "node:assert/strict";
import { openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { done, started } from "../../support/drafts.ts";
import type { Fields, World } from "../hud/world.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

const SESSION = "extended";
const TYPES = [
  "x.stream.swarm_started",
  "x.stream.worker_done",
  "x.acme.thing",
  "x.stream.turn_started",
] as const;

/** A run of a runner that has the extension. */
export async function writeExtension(home: string): Promise<void> {
  await using journal = await openSqlite({ features: FEATURES, home });
  const command = { session_id: SESSION, message: "hello" };
  await journal.commands.startRun(command, { model: "demo/demo", workspace: "/w" });
  const asking = { runnerId: "runner_x", leaseMs: 600_000, lost: [], volumes: [] };
  const claim = await journal.claimNext({ ...asking, childrenOnly: false });
  assert.ok(claim);
  const events = TYPES.map((type) => ({ type, payload: { worker: "w1" } }));
  const last = 2 + 1 + TYPES.length + 1; // the message and its run, its start, those, and its end
  const written = await journal.append(claim, [started("runner_x"), ...events, done(last)]);
  assert.ok(written.ok, JSON.stringify(written));
}

/** What was told of each, by its type in the journal. */
export async function extensionIn(
  snapshot: World["snapshot"],
): Promise<Partial<Record<string, [method: string, params: Fields]>>> {
  const { events } = await snapshot(SESSION);
  const emitted = events.slice(2, 2 + TYPES.length).map(({ event }) => event);
  return Object.fromEntries(
    TYPES.map((type, at) => [type, [emitted[at]?.method ?? "", emitted[at]?.params ?? {}]]),
  );
}
