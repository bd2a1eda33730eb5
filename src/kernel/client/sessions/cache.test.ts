// Going back to a session is instant because it never went away; only the few used last are kept so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { honest, startFeedServer } from "../../../../test/browser/support/feed-server.ts";
import { talk, until } from "../../../../test/browser/support/stream-server.ts";
import { until as eventually } from "../../../../test/support/until.ts";
import { openFeed } from "../feed.ts";
import { openSession } from "./store.ts";
import { createSessionCache } from "./cache.ts";

const api = { events: () => assert.fail("no stream of its own") };
const IDS = ["shown", "a", "b", "c", "d"];
const scripts = Object.fromEntries(IDS.map((id) => [id, [honest(talk(id, `run-${id}`, ["hi"]))]]));

test("[UX] the sessions used last stay open and live, the others are closed", async () => {
  await using server = await startFeedServer({
    ...scripts,
    nobody: [(tab, watch) => tab.refuse(watch, { code: "session_not_found", status: 404 })],
  });
  const feed = openFeed({ open: server.open });
  const warm = createSessionCache((id) => openSession(id, { api, follow: feed.follow }), 3);
  const visit = async (id: string) => {
    const store = warm.acquire(id);
    const { connection, caughtUp } = store.getState();
    if (!caughtUp && connection.state !== "denied") {
      await until(store, () => {
        const now = store.getState();
        return now.caughtUp || now.connection.state === "denied";
      });
    }
    warm.release(id);
    return store;
  };
  const open = () => [...IDS, "nobody"].filter((id) => warm.peek(id));

  const shown = warm.acquire("shown");
  await until(shown, () => shown.getState().caughtUp);
  for (const id of ["a", "b", "c"]) await visit(id);
  assert.deepEqual(open(), ["shown", "b", "c"]);
  assert.equal(warm.acquire("shown"), shown);
  assert.ok(shown.getState().caughtUp, "nothing is read again");
  warm.release("shown");
  await visit("b");
  await visit("d");
  assert.deepEqual(open(), ["shown", "b", "d"]);
  await visit("nobody");
  assert.ok(!open().includes("nobody"), "a refusal is not worth keeping");
  const dropped = (id: string) =>
    server.requests.some((asked) => asked.type === "unwatch" && asked.session_id === id);
  await eventually(() => dropped("nobody"), "the server to hear of it");

  const mark = server.requests.length;
  warm.rest();
  await eventually(() => server.requests.length > mark, "those that nobody shows to rest");
  warm.wake();
  await eventually(() => server.requests.length === mark + 2, "them to wake");
  assert.deepEqual(
    server.requests
      .slice(mark)
      .map((request) => [request.type, "session_id" in request && request.session_id]),
    [
      ["unwatch", "d"],
      ["watch", "d"],
    ],
  );
  warm.close();
  assert.deepEqual(open(), []);
  feed.close();
  await feed.closed;
});
