// The list of sessions in a tab: newer wins, gone is gone, and what a connection tells replaces everything.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedBoard } from "../../api/records/feed.ts";
import { createSessionList } from "./list.ts";
import type { RequestRecord, SessionRecord } from "../records.ts";

const session = (id: string, seq: number, title = id) =>
  ({ session_id: id, seq, title, updated_at: seq }) as SessionRecord;
const request = (id: string, sessionId: string, at: number) =>
  ({ request_id: id, session_id: sessionId, created_at: at }) as RequestRecord;
const emitted = (change: Partial<FeedBoard>): FeedBoard => ({
  feed: "board",
  whole: false,
  sessions: [],
  gone: [],
  pending: {},
  ...change,
});

test("[L6b] the newer record of a session counts, whatever comes first, and the newest session is first", () => {
  const board = createSessionList();
  assert.deepEqual(board.getState(), {
    sessions: null,
    pending: null,
    gone: new Set(),
    house: 0,
  });
  board.merge(emitted({ whole: true, sessions: [session("a", 5), session("b", 3)] }));
  board.merge(emitted({ sessions: [session("b", 9, "newer")] }));
  board.merge(emitted({ sessions: [session("b", 4, "older"), session("c", 7)] }));
  const titles = () => board.getState().sessions?.map(({ title }) => title);
  assert.deepEqual(titles(), ["newer", "c", "a"]);
  board.merge(emitted({ sessions: [session("b", 9, "the same moment, told again")] }));
  assert.deepEqual(titles(), ["the same moment, told again", "c", "a"]);
  board.merge(emitted({ gone: ["b"] }));
  assert.deepEqual(titles(), ["c", "a"]);
  assert.deepEqual([...board.getState().gone], ["b"]);
  const { gone } = board.getState();
  board.merge(emitted({ sessions: [session("c", 8, "c")] }));
  assert.equal(board.getState().gone, gone, "the same as long as it says the same");
  board.merge(emitted({ sessions: [session("b", 10, "back")] }));
  assert.deepEqual([titles(), board.getState().gone.size], [["back", "c", "a"], 0]);
  board.merge(emitted({ whole: true, sessions: [session("d", 1)] }));
  assert.deepEqual(titles(), ["d"]);
});

test("[L6] what waits for a person is told by session, and shown with the oldest first", () => {
  const board = createSessionList();
  let heard = 0;
  board.subscribe(() => (heard += 1));
  const waiting = () => board.getState().pending?.map(({ request_id }) => request_id);
  board.merge(
    emitted({ whole: true, pending: { a: [request("r3", "a", 3), request("r1", "a", 1)] } }),
  );
  board.merge(emitted({ pending: { b: [request("r2", "b", 2)] } }));
  assert.deepEqual(waiting(), ["r1", "r2", "r3"]);
  const before = board.getState().pending;
  board.merge(
    emitted({ sessions: [session("b", 1)], pending: { b: [request("r2", "b", 2)], c: [] } }),
  );
  assert.equal(board.getState().pending, before, "nothing that shows it is drawn again");
  board.merge(emitted({ pending: { a: [] } }));
  assert.deepEqual(waiting(), ["r2"]);
  board.merge(emitted({ whole: true }));
  assert.deepEqual([waiting(), heard], [[], 5]);
});
