import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { thisProcess } from "../../../kernel/journal/liveness.ts";
import { messengers } from "./doctor-gateway.ts";
import { messengerStore } from "../store/store.ts";

test("doctor tells which messenger is not connected, and why", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const states = async () => (await messengers(journal)).map(({ state, text }) => [state, text]);
  assert.deepEqual(await states(), [["ok", "none is switched on"]]);
  const about = { by: "person", secrets: [] };
  await messengerStore(journal).setGatewayPlatform("telegram", { enabled: true }, about);
  await messengerStore(journal).setGatewayPlatform("slack", { enabled: true }, about);
  const [idle] = await states();
  assert.equal(idle?.[0], "note");
  assert.match(idle?.[1] ?? "", /^slack, telegram switched on, but no gateway is running/);
  await journal.registry.register(thisProcess("gateway", "g1"));
  await messengerStore(journal).noteGateway("telegram", {
    state: "connected",
    account: "@deck_bot",
  });
  const message = "Slack does not take this token.";
  await messengerStore(journal).noteGateway("slack", {
    state: "failed",
    code: "unauthorized",
    message,
  });
  assert.deepEqual(await states(), [
    ["problem", "slack is not connected: Slack does not take this token."],
    ["ok", "telegram as @deck_bot"],
  ]);
});
