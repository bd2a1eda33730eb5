// Messengers over the API and in the console: every refusal, and that no secret ever comes out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { appDeps, TOKEN } from "../../../../test/support/app-deps.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { createApp } from "../../../cli/create-app.ts";
import type { MessengerService } from "./service.ts";
import { messengerStore } from "../store/store.ts";

/** Secrets in memory; everything else is real. */
function channelWith(kept: Record<string, Record<string, string>>): MessengerService {
  return {
    secrets: {
      of: async (platform) => kept[platform] ?? {},
      fixed: (platform) => (platform === "discord" ? ["token"] : []),
      async set(platform, changes) {
        const next = Object.entries({ ...kept[platform], ...changes });
        kept[platform] = Object.fromEntries(
          next.filter((entry): entry is [string, string] => entry[1] !== null),
        );
      },
    },
    secretProblem: async (_platform, _name, value) =>
      value.startsWith("bad") ? "It is bad." : undefined,
    test: async () => ({ works: true, account: "@deck", problem: null }),
    hashOfCode: (platform, code) => `${platform} ${code.toUpperCase()}`,
    webhook: async () => ({ accepted: true, duplicate: false, session_id: null, said: null }),
  };
}

async function serving() {
  const store = sqliteStore();
  const journal = await store.connect();
  const kept: Record<string, Record<string, string>> = {};
  const deps = appDeps(journal, { gateway: channelWith(kept), webRoot: store.home });
  const app = await createApp(deps);
  const ask = async (method: "GET" | "POST", url: string, payload?: object, token = TOKEN) => {
    const headers = { authorization: `Bearer ${token}`, host: "localhost:80" };
    const reply = await app.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: reply.statusCode, text: reply.body, body: reply.json() as Answer };
  };
  return {
    journal,
    kept,
    ask,
    async [Symbol.asyncDispose]() {
      await app.close();
      await store[Symbol.asyncDispose]();
    },
  };
}
type Answer = { data: Record<string, never>; error: { code: string; message: string } } & Record<
  string,
  never
>;

/** What stands at the end of these names. */
function within(body: object, ...names: string[]): unknown {
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], body);
}

test("[G1a] settings are checked, secrets go in and never come out, and everything is noted", async () => {
  await using at = await serving();
  const { ask, kept, journal } = at;
  const set = (platform: string, body: object) =>
    ask("POST", `/api/gateway/platforms/${platform}`, body);
  const refusals: [string, object, number, RegExp][] = [
    ["myspace", {}, 404, /no platform/],
    ["telegram-two", {}, 404, /no platform/],
    ["webhook-..%2Fx", {}, 404, /no platform/],
    ["telegram", { mode: "open" }, 400, /confirm_open/],
    ["telegram", { mode: "anyone" }, 400, /mode/],
    ["telegram", { nonsense: 1 }, 400, /nonsense/],
    ["telegram", { secrets: { url: "https://x.example" } }, 400, /no secret “url”/],
    ["telegram", { secrets: { token: "short" } }, 400, /secrets\.token/],
    ["telegram", { secrets: { token: "has a space in it" } }, 400, /spaces/],
    ["telegram", { secrets: { token: "bad-token-1" } }, 400, /It is bad/],
    ["telegram", { allow: Array.from({ length: 1_001 }, String) }, 400, /allow/],
  ];
  for (const [platform, body, status, why] of refusals) {
    const reply = await set(platform, body);
    assert.equal(reply.status, status, JSON.stringify(body).slice(0, 80));
    assert.match(reply.body.error.message, why);
  }
  assert.deepEqual(
    [kept, await messengerStore(journal).gatewayPlatforms()],
    [{}, []],
    "nothing of it was taken",
  );

  const secret = "1234:the-secret-token";
  const done = await set("telegram", {
    enabled: true,
    secrets: { token: secret },
    allow: ["7"],
    home_channel: "9",
  });
  assert.deepEqual(
    [done.status, done.body.data["configured"], done.body.data["state"]],
    [200, true, "waiting"],
  );
  assert.equal(kept["telegram"]?.["token"], secret);
  assert.equal(
    (await set("telegram", { mode: "open", confirm_open: true })).body.data["mode"],
    "open",
  );
  assert.equal(
    (await set("webhook-ci", { enabled: false })).body.data["mode"],
    "open",
    "signed anyway",
  );
  for (const path of [
    "/api/gateway",
    "/api/gateway/platforms",
    "/api/audit?limit=100",
    "/api/gui/gateway/platforms",
  ]) {
    const { text } = await ask("GET", path);
    assert.ok(text.includes("telegram") && !text.includes("secret-token"), path);
  }
  const { data } = (await ask("GET", "/api/gui/gateway/platforms")).body;
  const cards = (data as unknown as { platforms: Record<string, unknown>[] }).platforms;
  const card = cards.find(({ platform }) => platform === "telegram") ?? {};
  const { enabled, configured, connected, error, allowed_mode } = card;
  assert.deepEqual(
    { enabled, configured, connected, error, allowed_mode },
    { enabled: true, configured: true, connected: false, error: null, allowed_mode: "open" },
    "the document's summary",
  );
  assert.equal(
    (await set("telegram", { secrets: { token: null } })).body.data["configured"],
    false,
  );
  const tested = await ask("POST", "/api/gateway/platforms/telegram/test", {});
  assert.deepEqual(tested.body.data, { works: true, account: "@deck", problem: null });
  assert.equal((await ask("POST", "/api/gateway/platforms/nope/test", {})).status, 404);
  for (const path of ["/api/gateway", "/api/gateway/pairing"]) {
    assert.equal((await ask("GET", path, undefined, "wrong")).status, 401);
  }
});

test("[G2, W6] pairing over the API and in the console's envelopes", async () => {
  await using at = await serving();
  const { ask, journal } = at;
  const asking = (user_id: string, code: string) =>
    messengerStore(journal).askPairing(
      { platform: "telegram", user_id, user_name: "Ann", channel_id: user_id },
      `telegram ${code}`,
    );
  await asking("7", "AB12CD34EF");
  await asking("8", "ZZZZZZZZZZ");
  const { body: pairing } = await ask("GET", "/api/gui/gateway/pairing");
  assert.deepEqual(within(pairing, "pairing", "summary"), {
    pending_count: 2,
    approved_count: 0,
  });
  const wrong = await ask("POST", "/api/gui/gateway/pairing/approve", {
    platform: "telegram",
    code: "NOPE",
  });
  assert.deepEqual([wrong.status, wrong.body.error.code], [404, "not_found"]);
  const right = await ask("POST", "/api/gui/gateway/pairing/approve", {
    platform: "telegram",
    code: "ab12cd34ef",
  });
  assert.deepEqual(
    [right.status, right.body["user_id"], right.body.data["user_id"]],
    [200, "7", "7"],
  );
  assert.equal(
    (await ask("POST", "/api/gateway/pairing/deny", { platform: "telegram", user_id: "8" })).status,
    200,
  );
  const { body: overview } = await ask("GET", "/api/gui/gateway/overview");
  assert.deepEqual(within(overview, "overview", "summary"), {
    platform_count: 4,
    enabled_platforms: 0,
    configured_platforms: 0,
    connected_platforms: 0,
    pending_pairings: 0,
    approved_pairings: 1,
  });
  assert.deepEqual(within(overview, "overview", "gateway", "running"), false);
  const revoke = { platform: "telegram", user_id: "7" };
  assert.equal((await ask("POST", "/api/gui/gateway/pairing/revoke", revoke)).status, 200);
  assert.equal(
    (await ask("POST", "/api/gui/gateway/pairing/revoke", revoke)).body.error.code,
    "not_found",
  );
  for (const [path, body] of [
    ["/api/gateway/pairing/approve", { platform: "telegram" }],
    ["/api/gateway/pairing/approve", { platform: "telegram", code: "x".repeat(65) }],
    ["/api/gateway/pairing/revoke", { platform: "telegram", user_id: "" }],
    ["/api/gui/gateway/pairing/revoke", { platform: 7 }],
  ] as const) {
    assert.equal((await ask("POST", path, body)).status, 400, path);
  }
  assert.equal(
    (await ask("POST", "/api/gateway/pairing/approve", { platform: "x", code: "y" })).status,
    404,
  );
});
