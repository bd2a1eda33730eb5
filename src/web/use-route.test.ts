import assert from "node:assert/strict";
import { test } from "node:test";
import { pathOf, routeOf, type Route } from "./use-route.ts";

const ROUTES: readonly Route[] = [
  { page: "start" },
  { page: "inbox" },
  { page: "settings" },
  { page: "approve", requestId: "apr_1/2" },
  { page: "session", sessionId: "ses 1/ü" },
  { page: "session", sessionId: "s", runId: "run_1", seq: 12 },
  { page: "session", sessionId: "s", view: "timeline", panel: "hud", at: 0 },
  { page: "session", sessionId: "s", panel: "files", path: "src/a b?.ts", line: 3 },
  { page: "session", sessionId: "s", runId: "r", view: "tree", with: "r2" },
];

test("[UX] every place has an address, and the address leads back to it", () => {
  for (const route of ROUTES) assert.deepEqual(routeOf(pathOf(route)), route);
});

test("[UX] no address is a dead end, and what it says wrongly is left out", () => {
  for (const path of ["/nowhere", "/s/", "/s/%E0%A4%A", "/approve/"]) {
    assert.deepEqual(routeOf(path), { page: "start" }, path);
  }
  const session = { page: "session", sessionId: "s" };
  assert.deepEqual(routeOf("/s/s/?view=nope&panel=&at=-1&seq=5&line=x"), session);
});
