import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiFailure } from "./api-failure.ts";
import { NEW_WATCH, nextWatch, WATCH_TABLE, type WatchEvent } from "./watch-state.ts";

const failure = new ApiFailure({ code: "session_not_found", message: "No session", status: 404 });
const event = fc
  .constantFrom(...(Object.keys(WATCH_TABLE.asked) as WatchEvent["type"][]))
  .map((type): WatchEvent => (type === "refuse" ? { type, failure } : { type }));

test("[L2, L3] whatever happens in whatever order, a session's state is one that can be told", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (happened) => {
      let state = NEW_WATCH;
      for (const each of happened) {
        const { state: next, effects } = nextWatch(state, each);
        if (next.name === "refused") assert.ok(next.failure, "a refusal says why");
        if (next.failure) assert.ok(next.name === "refused" || next.name === "resting");
        if (next.name === "following") assert.ok(next.confirmedBefore);
        if (state.confirmedBefore) assert.ok(next.confirmedBefore, "it is never forgotten");
        if (effects.includes("ask")) assert.deepEqual([next.name, next.failure], ["asked", null]);
        if (next.name === "following" && state.name !== "following") {
          assert.equal(each.type, "confirm", "only the server's word makes it live");
        }
        if (state.name === "resting" && next.name !== "resting") assert.equal(each.type, "wake");
        state = next;
      }
    }),
  );
});

test("[L2] every session that does not rest is asked for when someone says so, and rests when told", () => {
  for (const [name, row] of Object.entries(WATCH_TABLE)) {
    assert.deepEqual(row.ask, name === "resting" ? ["resting"] : ["asked", "ask"]);
    assert.deepEqual(row.rest, ["resting", "unwatch"]);
    assert.equal(row.close[1], "unwatch");
    assert.notEqual(row.lose[0], "following", "nothing is live without a connection");
  }
});
