// Schedulers that come and go, clocks that jump, people who pause and change: on a real journal whose clock the test
// moves. Whatever happens, the decided times are the times that were due, each once, and each run belongs to one of them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { CATCH_UPS, OVERLAPS } from "../events.ts";
import type { CronTick } from "../records.ts";
import { cronJob } from "./cron.contract.ts";
import { DEFAULTS } from "../../../kernel/journal/contract/store.contract.ts";
import { scheduleStore } from "./store.ts";
import type { Transact } from "../../../kernel/journal/transaction.ts";
import { catalogueOf } from "../../../kernel/journal/project/catalogue.ts";
import { FEATURES } from "../../journal-features.ts";
import { workspaces } from "../../../kernel/journal/admit/workspaces.ts";
import type { Cron } from "./schedules.ts";
import { newest } from "./plan.ts";
import { Database } from "../../../kernel/journal/sqlite/database.ts";
import { timesOf } from "./times.ts";
import { journalPath } from "../../../kernel/journal/sqlite/sqlite.ts";
import { sqliteReads, transactions } from "../../../kernel/journal/sqlite/transaction.ts";
import { sqliteSearchIndex } from "../../../kernel/journal/sqlite/full-text.ts";
import type { Sql } from "../../../kernel/journal/sql.ts";

const START = Date.parse("2026-10-24T00:00:00Z") / 1_000; // the day before Berlin's clocks change
const SCHEDULES = ["*/20 * * * *", "30 2 * * *", "every 50m"] as const;

type Step =
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "look"; readonly many: number } // that many schedulers at once
  | { readonly kind: "pause" | "resume" | "end" }
  | { readonly kind: "retime"; readonly schedule: (typeof SCHEDULES)[number] };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("wait" as const),
        seconds: fc.integer({ min: -3_600, max: 20_000 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("look" as const),
        many: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom("pause" as const, "resume" as const, "end" as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("retime" as const),
        schedule: fc.constantFrom(...SCHEDULES),
      }),
    },
  ),
  { maxLength: 25 },
);
const policies = fc.record({
  schedule: fc.constantFrom(...SCHEDULES),
  catch_up: fc.constantFrom(...CATCH_UPS),
  catch_up_max: fc.integer({ min: 1, max: 3 }),
  overlap: fc.constantFrom(...OVERLAPS),
  grace_s: fc.constantFrom(0, 60, 1_800),
});

class Place implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), "qd-"));
  readonly #db = new Database({ path: journalPath(this.home), onFatal: () => {} });
  readonly sql: Sql = sqliteReads(this.#db);
  now = START;

  /** The journal's own code on the journal's own file, by a clock of ours. */
  cron(): Cron {
    const catalogue = catalogueOf(FEATURES);
    const sealing = {
      epoch: this.#db.epoch,
      redact: undefined,
      words: sqliteSearchIndex,
      catalogue,
    };
    const transact = transactions(this.#db, sealing, () => {});
    const timed: Transact = (about, work) =>
      transact(about, (tx) => work({ ...tx, now: this.now }));
    const database = { sql: this.sql, transact: timed };
    return scheduleStore({ database, workspaces: workspaces() });
  }

  endRuns(): void {
    this.#db.run("UPDATE logs SET ended_at = ? WHERE kind = 'run' AND ended_at IS NULL", this.now);
  }

  [Symbol.dispose](): void {
    this.#db[Symbol.dispose]();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** From when on a schedule counted, as the commands said. */
type Era = { readonly schedule: string; readonly anchor_at: number; readonly after: number };

async function play(place: Place, wanted: object, moves: readonly Step[]) {
  const schedulers = [place.cron(), place.cron(), place.cron(), place.cron()];
  const [one] = schedulers as [Cron];
  const job = cronJob({ ...wanted, session: "own", time_zone: "Europe/Berlin" });
  await one.createCronJob(job, "ann");
  const eras: Era[] = [{ schedule: job.schedule, anchor_at: START, after: START }];
  let latest = START;
  const look = async (many: number) => {
    const isPaused = (await one.cronJob("j1"))?.state === "paused";
    const deciding = schedulers.slice(0, many).map(async (each) => {
      while ((await each.decideTick("j1", DEFAULTS)).decided) assert.ok(!isPaused, "it is paused");
    });
    await Promise.all(deciding);
  };
  for (const move of moves) {
    if (move.kind === "wait") place.now = Math.max(START, place.now + move.seconds);
    else if (move.kind === "look") await look(move.many);
    else if (move.kind === "end") place.endRuns();
    else if (move.kind === "retime") {
      const { schedule } = move;
      const outcome = await one.updateCronJob("j1", { schedule }, "ann");
      const [last] = await one.cronHistory({ jobId: "j1", limit: 1 });
      const after = Math.max(place.now, last?.through_at ?? 0); // never back to what is decided
      if (outcome?.status === "accepted") eras.push({ schedule, anchor_at: place.now, after });
    } else await one.switchCronJob("j1", move.kind, "ann");
    latest = Math.max(latest, place.now);
  }
  await one.switchCronJob("j1", "resume", "ann");
  place.now = latest;
  await look(4);
  // A missed time waits for the run before it: that one ends some time.
  while (((await one.dueNext())[0]?.next_at ?? Infinity) <= place.now) {
    place.endRuns();
    await look(4);
  }
  return { eras, latest, one };
}

function dueIn(eras: readonly Era[], latest: number): number[] {
  return eras.flatMap(({ schedule, anchor_at, after }, index) => {
    const times = timesOf({ schedule, time_zone: "Europe/Berlin", anchor_at });
    const end = eras[index + 1]?.after ?? latest;
    return newest(
      times,
      { from: times.next(after) as number, before: Math.floor(end) + 1 },
      1_000_000,
    );
  });
}

function coveredBy(ticks: readonly CronTick[], due: readonly number[]): number[] {
  return ticks.flatMap(({ due_at, through_at, times }) => {
    const within = due.filter((at) => at >= due_at && at <= through_at);
    if (times !== null) assert.equal(within.length, times);
    return within;
  });
}

type Example = [
  wanted: typeof policies extends fc.Arbitrary<infer Policy> ? Policy : never,
  Step[],
];
const plain = {
  schedule: "*/20 * * * *",
  catch_up: "none",
  catch_up_max: 1,
  overlap: "start",
  grace_s: 0,
} as const;
/** A clock that is set back over times that were decided, under another schedule. */
const setBack: Example = [
  plain,
  [
    { kind: "wait", seconds: 20_000 },
    { kind: "look", many: 2 },
    { kind: "wait", seconds: -3_600 },
    { kind: "retime", schedule: "every 50m" },
    { kind: "retime", schedule: "*/20 * * * *" },
    { kind: "wait", seconds: 9_000 },
    { kind: "look", many: 2 },
  ],
];
const pausedFor: Example = [
  plain,
  [
    { kind: "pause" },
    { kind: "wait", seconds: 9_000 },
    { kind: "look", many: 2 },
    { kind: "resume" },
  ],
];

test("[Z2, Z3, Z4] no time is decided twice, none is lost, whatever downtimes, pauses, clocks and schedulers do", async () => {
  const property = fc.asyncProperty(policies, steps, async (wanted, moves) => {
    using place = new Place();
    const { eras, latest, one } = await play(place, wanted, moves);
    const ticks = (await one.cronHistory({ jobId: "j1", limit: 10_000 })).toReversed();
    const due = dueIn(eras, latest);
    assert.deepEqual(coveredBy(ticks, due), due);
    const starts = ticks.filter(({ result }) => result === "fired" || result === "caught_up");
    const started = starts.map(({ run_id }) => run_id);
    assert.ok(
      ticks.every(
        ({ run_id, result }) =>
          (run_id !== null) === (result === "fired" || result === "caught_up"),
      ),
    );
    const runs = await place.sql.all("SELECT log_id FROM logs WHERE kind = 'run'");
    assert.deepEqual(new Set(runs.map(({ log_id }) => log_id)), new Set(started));
    assert.equal(started.length, runs.length, "a run for each, and no other");
    if (wanted.catch_up === "none") assert.ok(ticks.every(({ result }) => result !== "caught_up"));
    if (wanted.overlap === "start") assert.ok(ticks.every(({ result }) => result !== "overlapped"));
  });
  await fc.assert(property, { numRuns: 25, examples: [setBack, pausedFor] });
});

test("[Z5a] missed times that are all caught up run one after the other where runs may not overlap", async () => {
  using place = new Place();
  const cron = place.cron();
  const wanted = { schedule: "* * * * *", catch_up: "all", catch_up_max: 10, grace_s: 30 };
  await cron.createCronJob(cronJob({ ...wanted, overlap: "skip" }), "ann");
  const decide = () => cron.decideTick("j1", DEFAULTS);
  const first = (await cron.dueNext())[0]?.next_at as number;
  place.now = first + 299; // five were missed
  const results: (string | undefined)[] = [];
  for (let times = 0; times < 5; times += 1) {
    const decided = await decide();
    results.push(decided.decided ? decided.tick.result : undefined);
    const waits = await decide();
    assert.deepEqual([waits.decided, "waits" in waits], [false, times < 4]);
    if (times < 4) place.endRuns();
  }
  assert.deepEqual(
    results,
    Array.from({ length: 5 }, () => "caught_up"),
  );
  place.now = first + 300;
  const onTime = await decide();
  assert.equal(onTime.decided && onTime.tick.result, "overlapped", "what is on time does not wait");
});
