// Pages that share a browser's memory: who has which unsent message. The locks are Node's own.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { until } from "../../../../test/support/until.ts";
import type { OutgoingMessage } from "./outbox.ts";
import { outboxStore, type PageLocks, type SharedMemory } from "./outbox-store.ts";

const { locks } = navigator as unknown as { locks: PageLocks };
const KEY = "quarterdeck.outbox.";
const file = { fileId: "f1", name: "a.png", bytes: 3, media_type: "image/png" };
const words = (messageId: string): OutgoingMessage => ({
  messageId,
  sessionId: "s1",
  text: `text of ${messageId}`,
  target: null,
});
const withFile = (messageId: string): OutgoingMessage => ({ ...words(messageId), files: [file] });

/** One browser; every page hears what the others change, as with `localStorage`. */
function createBrowser(t: TestContext) {
  const kept = new Map<string, string>();
  const pages = new Set<(key: string, value: string | null) => void>();
  let opened = 0;
  let clock = 0;
  const memoryOf = (): SharedMemory => {
    let own: ((key: string, value: string | null) => void) | undefined;
    return {
      get: (key) => kept.get(key) ?? null,
      set(key, value) {
        if (value === null && !kept.delete(key)) return;
        if (value !== null) kept.set(key, value);
        for (const emit of pages) if (emit !== own) emit(key, value);
      },
      keys: () => [...kept.keys()].toSorted().toReversed(),
      onChange(listener) {
        own = listener;
        pages.add(listener);
        return () => pages.delete(listener);
      },
    };
  };
  return {
    kept,
    ids: () => [...kept.keys()].map((key) => key.slice(KEY.length)).toSorted(),
    pass: (ms: number) => (clock += ms),
    open({ given = locks, graceMs = 1 }: { given?: PageLocks | null; graceMs?: number } = {}) {
      const pageId = `${t.name} ${(opened += 1)}`;
      const memory = memoryOf();
      const store = outboxStore({
        memory,
        locks: given ?? undefined,
        pageId,
        now: () => clock,
        graceMs,
      });
      const life = new AbortController();
      t.after(() => life.abort());
      const has: OutgoingMessage[] = [];
      const removed: string[] = [];
      const adopt = (messages: readonly OutgoingMessage[]) => void has.push(...messages);
      store.follow({ adopt, removed: (id) => void removed.push(id) }, life.signal);
      const ready = () =>
        given?.request(`quarterdeck.page.${pageId}`, { ifAvailable: true }, (lock) => !lock);
      return {
        has: () => has.map(({ messageId }) => messageId),
        messages: has,
        removed,
        save: store.save,
        alive: () => until(ready, "the page to live"),
        close: () => life.abort(),
      };
    },
  };
}

test("[X2] a message is its page's while that lives, and then the next page's", async (t) => {
  const browser = createBrowser(t);
  const first = browser.open();
  await first.alive();
  const second = browser.open();
  await second.alive();
  first.save([withFile("m2"), words("m1")]);
  second.save([words("m3")]);
  assert.deepEqual([first.has(), second.has()], [[], []]);
  first.close();
  await until(() => second.has().length === 2, "what the first page had");
  assert.deepEqual(second.messages, [withFile("m2"), words("m1")], "as it was written, in order");
  second.save([withFile("m2"), words("m1"), words("m3")]);
  const third = browser.open();
  await third.alive();
  assert.deepEqual(third.has(), []);
  second.close();
  await until(() => third.has().length === 3, "what both had");
  assert.deepEqual(third.has().toSorted(), ["m1", "m2", "m3"]);
});

test("[X2] who reloads has their own messages again, not the other tab", async (t) => {
  const browser = createBrowser(t);
  const other = browser.open({ graceMs: 3_600_000 });
  await other.alive();
  const before = browser.open();
  await before.alive();
  before.save([words("m1")]);
  before.close();
  const reloaded = browser.open();
  await until(() => reloaded.has().length === 1, "its own message");
  assert.deepEqual(other.has(), []);
});

test("[X2] what another page removed or took is not written again", async (t) => {
  const browser = createBrowser(t);
  const first = browser.open();
  await first.alive();
  first.save([withFile("m1"), withFile("m2")]);
  assert.deepEqual(browser.ids(), ["m1", "m2"]);
  browser.kept.clear();
  const hashed = { ...withFile("m1"), files: [{ ...file, sha256: "5a" }] };
  first.save([hashed, withFile("m2")]);
  assert.deepEqual(browser.ids(), []);
  const theirs = JSON.stringify({ ...withFile("m2"), page: "another", at: 1 });
  browser.kept.set(`${KEY}m2`, theirs);
  first.save([hashed, { ...withFile("m2"), text: "changed" }]);
  assert.deepEqual([...browser.kept], [[`${KEY}m2`, theirs]]);
  first.save([]);
  assert.deepEqual(browser.ids(), [], "what was answered is gone for everybody");
});

const broken: PageLocks = { request: async () => Promise.reject(new Error("not here")) };
for (const [which, given] of [["no", null] as const, ["broken", broken] as const])
  test(`[X2] with ${which} locks words are sent by whoever is there, a file waits ten minutes for its page`, async (t) => {
    const browser = createBrowser(t);
    const open = () => browser.open({ given });
    const first = open();
    browser.pass(1_000);
    const hashed = { ...withFile("m3"), files: [{ ...file, sha256: "5a" }] };
    first.save([withFile("m1"), words("m2"), hashed]);
    const second = open();
    await until(() => second.has().length > 0, "the words");
    assert.deepEqual(second.has(), ["m2", "m3"]);
    browser.pass(10 * 60_000 + 10);
    const third = open();
    await until(() => third.has().length === 3, "all of it");
    assert.deepEqual(third.has(), ["m1", "m2", "m3"]);
    first.save([]); // its upload came to an end after all
    assert.deepEqual(third.removed, ["m1", "m2", "m3"]);
  });

test("[X2] what an older page left, and what is none of ours", async (t) => {
  const browser = createBrowser(t);
  browser.kept.set(`${KEY}m1`, JSON.stringify(withFile("m1")));
  browser.kept.set(`${KEY}x`, "not JSON");
  browser.kept.set(`${KEY}y`, "null");
  browser.kept.set("quarterdeck.draft.s1", JSON.stringify(words("m9")));
  const page = browser.open();
  await until(() => page.has().length > 0, "the message");
  assert.deepEqual(page.messages, [withFile("m1")]);
  page.save([]);
  assert.equal(browser.kept.size, 3);
});
