// How often the journal is read for its watchers: the parts of the server, over a real journal.
import assert from "node:assert/strict";
import type { Claim, Journal } from "../../../src/kernel/journal/journal.ts";
import { openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { runSource } from "../../../src/kernel/server/feed/sources.ts";
import { tails, type Subscriber } from "../../../src/kernel/server/feed/tail.ts";
import { onSqlite as test } from "../../support/backend.ts"; // It opens the journal by itself, and is about the server above it.
import { newTestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

type Reader = Subscriber & { text: () => string; ended: () => boolean };

function reader(): Reader {
  let text = "";
  let over = false;
  return {
    text: () => text,
    ended: () => over,
    closed: false,
    write: (chunk) => {
      text += chunk.toString();
      return true;
    },
    drained: async () => {},
    end: () => void (over = true),
  };
}

async function openRun(home: string) {
  const journal = await openSqlite({ features: FEATURES, home });
  const started = await journal.commands.startRun(
    { message: "x" },
    { model: "demo/demo", workspace: home },
  );
  const claimed = await journal.claimNext({
    runnerId: "r",
    leaseMs: 60_000,
    lost: [],
    childrenOnly: false,
    volumes: [],
  });
  return { journal, runId: started.run_id as string, claim: claimed as Claim };
}

/** The journal itself, with its reads of runs counted and, if asked, slowed down or failing. */
function counted(journal: Journal, before: () => Promise<void> = async () => {}) {
  let reads = 0;
  const readRun: Journal["readRun"] = async (...args) => {
    reads += 1;
    await before();
    return journal.readRun(...args);
  };
  return { journal: { ...journal, readRun }, reads: () => reads };
}

const failed = (error: unknown) => assert.fail(String(error));
const token = (delta: string) =>
  ({ type: "token.delta", payload: { message_id: "m", delta, content_type: "text" } }) as const;

test("[H5] a hundred subscribers cost as many reads as one", async () => {
  using place = newTestHome();
  const { journal, runId, claim } = await openRun(place.home);
  await using _ = journal;
  const cost = async (subscribers: number) => {
    const { journal: watched, reads } = counted(journal);
    const streams = tails(watched, failed);
    const readers = Array.from({ length: subscribers }, reader);
    const { seq: from = 0 } = (await journal.reads.run(runId)) ?? {};
    for (const each of readers) await streams.subscribe(runSource(watched, runId), from, each);
    const before = reads();
    for (let at = 0; at < 50; at += 1) await journal.append(claim, [token(`${at};`)]);
    const last = `id: ${runId}:${from + 50}\n`;
    await until(() => readers.every((each) => each.text().includes(last)), "everyone to be served");
    for (const each of readers) assert.equal(each.text(), readers[0]?.text());
    assert.equal(streams.size, 1);
    streams.stop();
    return reads() - before;
  };
  const one = await cost(1);
  const many = await cost(100);
  assert.ok(many <= one + 20, `${many} reads for a hundred, ${one} for one`);
});

test("[H5, V1] subscribers that join while others are catching up all get everything", async () => {
  using place = newTestHome();
  const { journal, runId, claim } = await openRun(place.home);
  await using _ = journal;
  let turn = 0;
  const { journal: slow } = counted(journal, async () => {
    for (let wait = (turn += 1) % 4; wait > 0; wait -= 1) await Promise.resolve(); // other interleavings
    if (turn % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  });
  const streams = tails(slow, failed);
  const readers: Reader[] = [];
  const joining: Promise<void>[] = [];
  for (let at = 0; at < 60; at += 1) {
    const each = reader();
    readers.push(each);
    joining.push(streams.subscribe(runSource(slow, runId), 0, each));
    await journal.append(claim, [token(`${at};`)]);
  }
  await Promise.all(joining);
  await journal.append(claim, [token("end")]);
  await until(() => readers.every((each) => each.text().includes("end")), "everyone to be served");
  for (const each of readers) assert.equal(each.text(), readers[0]?.text());
  streams.stop();
});

test("[D7, H2] a log that cannot be read any more ends its streams: the reason waits at the door", async () => {
  using place = newTestHome();
  const { journal, runId, claim } = await openRun(place.home);
  await using _ = journal;
  let broken = false;
  const { journal: breaking } = counted(journal, async () => {
    if (broken) throw new Error("quarantined");
  });
  const errors: unknown[] = [];
  const streams = tails(breaking, (error) => void errors.push(error));
  const each = reader();
  await streams.subscribe(runSource(breaking, runId), 0, each);
  broken = true;
  await journal.append(claim, [token("x")]);
  await until(() => each.ended(), "the stream to end");
  assert.equal(errors.length, 1);
  streams.stop();
});
