import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { stopPeers, storeIn } from "../../../../test/support/peer.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { startNotifier, type Notification, type PushService, type Sent } from "./push.ts";
import { pushStore } from "../store/push.ts";

/** Stands where the push services of browser makers stand; says what it was given. */
function postOffice(answer: (endpoint: string) => Sent = () => ({ ok: true })) {
  const delivered: (Notification & { to: string })[] = [];
  let heard = () => {};
  const service: PushService = {
    publicKey: async () => "key",
    check: async () => undefined,
    send: async (to, notification) => {
      delivered.push({ to: to.endpoint, ...notification });
      heard();
      return answer(to.endpoint);
    },
  };
  const until = async (count: number) => {
    while (delivered.length < count) await new Promise<void>((resolve) => (heard = resolve));
  };
  return { service, delivered, until };
}

after(stopPeers);

const storeOf = storeIn(import.meta.resolve("../store/push.ts"), pushStore);

const notifierOf = (
  journal: Journal,
  service: PushService,
  logError: (error: unknown) => void = (error) => assert.fail(String(error)),
) =>
  startNotifier({
    journal,
    store: storeOf(journal),
    service,
    now: () => Date.now() / 1_000,
    logError,
  });
const browser = (endpoint: string) => ({ endpoint, p256dh: "p", auth: "a", label: "" });

test("[N2] what needs a person is told once, to every browser, also with two servers", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  const other = await store.connect();
  const office = postOffice();
  const notifiers = [notifierOf(journal, office.service), notifierOf(other, office.service)];
  await pushStore(journal).addPush(browser("https://a.example/"));
  await pushStore(journal).addPush(browser("https://b.example/"));
  await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await office.until(2);
  await s.write(journal, claim, d.done(5, "completed"));
  await office.until(4);
  for (const notifier of notifiers) notifier.stop();
  const titles = office.delivered.map(({ to, title }) => `${title} ${to}`).toSorted();
  assert.deepEqual(titles, [
    "Done https://a.example/",
    "Done https://b.example/",
    "Needs you https://a.example/",
    "Needs you https://b.example/",
  ]);
  const asked = office.delivered.find(({ title }) => title === "Needs you");
  assert.equal(asked?.url, "/approve/ap_c1");
});

test("[N1] a browser that no longer wants any is forgotten", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  const gone: Sent = { ok: false, gone: true, problem: "410" };
  const office = postOffice((endpoint) => (endpoint.includes("gone") ? gone : { ok: true }));
  const logged: unknown[] = [];
  const notifier = notifierOf(journal, office.service, (error) => logged.push(error));
  await pushStore(journal).addPush(browser("https://gone.example/"));
  await pushStore(journal).addPush(browser("https://here.example/"));
  await s.write(journal, claim, d.started(), d.done(2, "failed"));
  await office.until(2);
  let left = await pushStore(journal).pushSubscriptions();
  while (left.length > 1) left = await pushStore(journal).pushSubscriptions();
  notifier.stop();
  assert.deepEqual(
    left.map(({ endpoint }) => endpoint),
    ["https://here.example/"],
  );
});

test("[N2] what happened while no server was there is told by the next one, and once", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await pushStore(journal).addPush(browser("https://a.example/"));
  await s.write(journal, claim, d.started(), d.done(2, "completed"));
  const office = postOffice();
  const first = notifierOf(journal, office.service);
  await office.until(1);
  first.stop();
  const second = notifierOf(journal, office.service);
  await s.start(journal, { session_id: "s2", message: "more" });
  const other = await s.claimed(journal);
  await s.write(journal, other, d.started(), d.done(2, "failed"));
  await office.until(2);
  second.stop();
  assert.deepEqual(
    office.delivered.map(({ title }) => title),
    ["Done", "Failed"],
  );
});

test("[N2] what could not be claimed while the database was away is told when it is back", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  const office = postOffice();
  const failed = Promise.withResolvers<unknown>();
  let away = true;
  const { sql, transact } = journal.database;
  const whenBack: typeof transact = (about, work) =>
    away ? Promise.reject(new Error("away")) : transact(about, work);
  const flaky: Journal = { ...journal, database: { sql, transact: whenBack } };
  await pushStore(journal).addPush(browser("https://a.example/"));
  const notifier = notifierOf(flaky, office.service, failed.resolve);
  await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await failed.promise;
  away = false;
  await s.write(journal, claim, d.printed("c1", "something happens"));
  await office.until(1);
  notifier.stop();
  assert.deepEqual(
    office.delivered.map(({ title }) => title),
    ["Needs you"],
  );
});
