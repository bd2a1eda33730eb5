// How a snapshot is bounded: what is only said goes first, what waits for a person never.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wholeSession } from "../../../test/support/daemon/place.ts";
import * as d from "../../../test/support/drafts.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { DaemonEnvelope } from "./wire/events.ts";
import { snapshotOf } from "./snapshot.ts";

/** When what waits was asked: as it is in the journal, to compare with. */
let askedAt = "";

async function within(journal: Journal, maxChars: number, after = 0) {
  const { events, lastEventId, truncated } = await snapshotOf(journal, {
    sessionId: "s1",
    after,
    maxChars,
  });
  const chars = events.reduce((sum, text) => sum + text.length, 0);
  const emitted = events.map((text) => JSON.parse(text) as DaemonEnvelope);
  const asNow = emitted.find(({ event }) => JSON.stringify(event).includes("ap_c3"));
  if (asNow) assert.ok(asNow.receivedAt >= askedAt, "what waits is told as of now");
  const asAsked = emitted.map((each) => (each === asNow ? { ...each, receivedAt: askedAt } : each));
  return { events: asAsked, lastEventId, chars, truncated };
}

async function wholeAsAsked(journal: Journal) {
  const whole = await wholeSession(journal);
  askedAt = whole.find(({ event }) => JSON.stringify(event).includes("ap_c3"))?.receivedAt ?? "";
  return whole;
}
const methodsIn = (events: readonly DaemonEnvelope[]) => events.map(({ event }) => event.method);
const LOOSE = /^stream\.(text|thinking|heartbeat|usage|compaction)$/;

async function longSession(journal: Journal) {
  await s.start(journal);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started());
  for (let at = 0; at < 40; at += 1) {
    const said = [d.turnStarted(at + 1), d.thought("r", `hm ${at}`), d.token("m", `so ${at}`)];
    await s.write(journal, claim, ...said, d.used(at + 1, 1), d.intent(`c${at}`));
    const asks = at === 3 || at === 4 ? [d.approvalAsked(`c${at}`)] : [];
    const settled = at === 3 ? [] : [d.toolStarted(`c${at}`), d.toolDone(`c${at}`)];
    await s.write(
      journal,
      claim,
      ...asks,
      ...(at === 4 ? [d.approvalGiven("c4", "once")] : []),
      ...settled,
    );
  }
  return (await journal.reads.session("s1"))?.seq;
}

test("[W1] what fits is told whole, and up to which event is said", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const head = await longSession(journal);
  const whole = await wholeAsAsked(journal);
  assert.deepEqual(await within(journal, 10_000_000).then(({ events }) => events), whole);
  const rest = await within(journal, 10_000_000, 100);
  assert.deepEqual(
    rest.events,
    whole.filter(({ eventId }) => eventId > 100),
  );
  assert.equal(rest.lastEventId, head);
  assert.equal(rest.truncated, false);
});

test("[W4] of what does not fit the oldest words go first, then the oldest deeds, and never what waits", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const head = await longSession(journal);
  const whole = await wholeAsAsked(journal);
  const structure = whole.filter(({ event }) => !LOOSE.test(event.method));
  for (const maxChars of [40_000, 25_000, 18_000, 6_000, 1_000]) {
    const { events, lastEventId, chars, truncated } = await within(journal, maxChars);
    assert.equal(truncated, true, "and says so");
    assert.ok(chars <= maxChars, `${chars} of ${maxChars}`);
    assert.equal(lastEventId, head);
    const ids = events.map(({ eventId }) => eventId);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    const pending = events.filter(({ event }) => JSON.stringify(event).includes("ap_c3"));
    assert.equal(pending.length, 1, "what waits is there");
    const [words, deeds] = [
      events.filter(({ event }) => LOOSE.test(event.method)),
      events.filter(({ event }) => !LOOSE.test(event.method)),
    ];
    // As long as any words are left all deeds are; and of each the newest are kept.
    if (words.length > 0) assert.deepEqual(deeds, structure);
    const loose = whole.filter(({ event }) => LOOSE.test(event.method));
    assert.deepEqual(words, loose.slice(loose.length - words.length));
    const settled = ({ event }: DaemonEnvelope) => !JSON.stringify(event).includes('"ap_c3"');
    const kept = deeds.filter(settled);
    assert.deepEqual(kept, structure.filter(settled).slice(-kept.length || structure.length));
  }
  assert.ok(methodsIn((await within(journal, 25_000)).events).includes("stream.text"));
});

test("[B4] a session that goes on is not chased", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(
    journal,
    claim,
    d.started(),
    ...Array.from({ length: 30 }, (_, at) => d.intent(`c${at}`)),
  );
  let reads = 0;
  const readSession: Journal["readSession"] = async (...args) => {
    reads += 1;
    assert.ok(reads < 20, "it runs after its head");
    await s.write(journal, claim, ...Array.from({ length: 250 }, () => d.intent("again")));
    return journal.readSession(...args);
  };
  const { lastEventId } = await snapshotOf(
    { readSession },
    { sessionId: "s1", after: 0, maxChars: 1e7 },
  );
  assert.ok(lastEventId >= 34);
});
