// The browser of agents over the API and in the console: what is told, what is refused, and that it is an event.
import assert from "node:assert/strict";
import { test } from "node:test";
import { webServer } from "../../../../test/support/servers/web-server.ts";
import { browserService } from "../cli.ts";
import type { BrowserView } from "../records.ts";
import { openFixture } from "../../../kernel/server/routes/test-support.ts";

const HERE = browserService({ browser_executable: process.execPath, allow_private_hosts: [] });
const NOTHING = browserService({ browser_executable: "/nowhere/chrome", allow_private_hosts: [] });

/** Answers as a Chrome with a debugging port does. */
const live = () =>
  webServer(({ url }, response) => {
    if (url !== "/json/version") return void response.writeHead(404).end();
    response.end(JSON.stringify({ Browser: "Chrome/140.0.1", webSocketDebuggerUrl: "ws://x" }));
  });

test("[BR1] nobody has a browser until a person says so; one that is to be started is ready without being started", async () => {
  await using fixture = await openFixture({ browser: HERE });
  const { data } = await fixture.get<BrowserView>("/api/browser");
  const { mode, connected, reachable, requirements_ok, active_sessions, cdp_url } = data;
  assert.deepEqual(
    { mode, connected, reachable, requirements_ok, active_sessions, cdp_url },
    {
      mode: null,
      connected: false,
      reachable: false,
      requirements_ok: true,
      active_sessions: 0,
      cdp_url: null,
    },
  );
  const started = await fixture.post<BrowserView>("/api/browser/connect", {});
  assert.deepEqual(
    [started.status, started.data.mode, started.data.reachable],
    [200, "start", true],
  );
  assert.deepEqual([started.data.by, started.data.executable], ["person", process.execPath]);
  const gone = await fixture.post<BrowserView>("/api/browser/disconnect", {});
  assert.deepEqual([gone.data.connected, gone.data.mode, gone.data.by], [false, null, null]);
  await fixture.post("/api/browser/disconnect", {});
  const noted = (await fixture.noted()).map(({ type, payload }) => ({ type, payload }));
  assert.deepEqual(
    noted,
    [
      { type: "browser.connected", payload: { by: "person", mode: "start", cdp_url: null } },
      { type: "browser.disconnected", payload: { by: "person" } },
    ],
    "disconnecting nothing is no event",
  );
});

test("[BR1a] a live browser must answer, and whether it still does is asked each time", async () => {
  await using fixture = await openFixture({ browser: HERE });
  const chrome = await live();
  const cdp_url = chrome.origin;
  const { data } = await fixture.post<BrowserView>("/api/browser/connect", {
    cdp_url: `${cdp_url}/`,
  });
  assert.deepEqual(
    [data.mode, data.cdp_url, data.reachable, data.version],
    ["connect", cdp_url, true, "Chrome/140.0.1"],
  );
  await chrome[Symbol.asyncDispose]();
  const later = (await fixture.get<BrowserView>("/api/browser")).data;
  assert.deepEqual([later.connected, later.reachable, later.version], [true, false, null]);
  const again = await fixture.post("/api/browser/connect", { mode: "connect", cdp_url });
  assert.deepEqual([again.status, again.error.code], [409, "conflict"]);
  assert.match(again.error.message, /No browser answers at http:\/\/127\.0\.0\.1/);
  assert.equal((await fixture.noted()).length, 1, "what was refused changed nothing");
});

test("[BR1] what answers and is no browser is refused, also one that never ends", async () => {
  await using fixture = await openFixture({ browser: HERE });
  for (const [what, answer] of [
    ["words", "hello"],
    ["another shape", '{"Browser": 7}'],
    ["null", "null"],
    ["too much", "x".repeat(3_000_000)],
  ]) {
    await using server = await webServer((_, response) => response.end(answer));
    const { error } = await fixture.post("/api/browser/connect", { cdp_url: server.origin });
    assert.equal(error.code, "conflict", what);
  }
  await using elsewhere = await webServer((_, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  );
  const led = await fixture.post("/api/browser/connect", { cdp_url: elsewhere.origin });
  assert.equal(led.error.code, "conflict");
  await using silent = await webServer(() => undefined);
  const late = await fixture.post("/api/browser/connect", { cdp_url: silent.origin });
  assert.equal(late.error.code, "conflict");
});

test("[BR1a] addresses of elsewhere and other shapes are refused", async () => {
  await using fixture = await openFixture({ browser: HERE });
  for (const body of [
    { cdp_url: "http://example.org:9222" },
    { cdp_url: "file:///etc/passwd" },
    { cdp_url: "http://me:pw@127.0.0.1:9222" },
    { cdp_url: "x".repeat(501) },
    { cdp_url: 9222 },
    { mode: "connect" },
    { mode: "start", cdp_url: "http://127.0.0.1:9222" },
    { mode: "other" },
    "[]",
  ]) {
    const { status, error } = await fixture.post("/api/browser/connect", body);
    assert.deepEqual([status, error.code], [400, "invalid_request"], JSON.stringify(body));
  }
  assert.deepEqual(await fixture.noted(), []);
});

test("[BR1] what is missing is told with how to get it, and nothing is connected without it", async () => {
  await using fixture = await openFixture({ browser: NOTHING });
  const { data } = await fixture.get<BrowserView>("/api/browser");
  assert.equal(data.requirements_ok, false);
  assert.match(data.missing.join(), /browser_executable \(\/nowhere\/chrome\) cannot be run/);
  const { error } = await fixture.post("/api/browser/connect", { mode: "start" });
  assert.equal(error.code, "conflict");
  assert.match(error.message, /cannot be run/);
  await using chrome = await live();
  const connected = await fixture.post<BrowserView>("/api/browser/connect", {
    cdp_url: chrome.origin,
  });
  assert.deepEqual([connected.data.requirements_ok, connected.data.missing], [true, []]);
  await using without = await openFixture();
  for (const [method, path] of [
    ["GET", "/api/browser"],
    ["POST", "/api/browser/connect"],
    ["POST", "/api/browser/disconnect"],
  ] as const) {
    const { status } = await without.ask(method, path, method === "GET" ? undefined : {});
    assert.equal(status, 503, path);
  }
});

type Emitted = { browser: Record<string, unknown>; error: { code: string } };

test("[BR1, W6] the console's words for the same", async () => {
  await using fixture = await openFixture({ browser: HERE });
  const ask = async (method: "GET" | "POST", path: string, body?: unknown) => {
    const { status, body: emitted } = await fixture.ask(method, `/api/gui/browser/${path}`, body);
    return { status, ...(emitted as unknown as Emitted), data: emitted["data"] };
  };
  const idle = await ask("GET", "status");
  assert.deepEqual([idle.browser["mode"], idle.browser["connected"]], ["none", false]);
  assert.deepEqual(idle.data, { browser: idle.browser });
  for (const field of ["cdp_url", "reachable", "requirements_ok", "active_sessions"]) {
    assert.ok(field in idle.browser, field);
  }
  assert.equal((await ask("POST", "connect")).browser["mode"], "managed");
  await using chrome = await live();
  const mine = await ask("POST", "connect", { mode: "live_chrome", cdp_url: chrome.origin });
  assert.deepEqual(
    [mine.browser["mode"], mine.browser["reachable"], mine.browser["by"]],
    ["live_chrome", true, "console"],
  );
  const wrong = await ask("POST", "connect", { mode: "sideways" });
  assert.deepEqual([wrong.status, wrong.error.code], [400, "invalid_request"]);
  const away = await ask("POST", "connect", { mode: "live_chrome", cdp_url: "127.0.0.1:1" });
  assert.deepEqual([away.status, away.error.code], [409, "conflict"]);
  const off = await ask("POST", "disconnect");
  assert.deepEqual([off.browser["mode"], off.browser["connected"]], ["none", false]);
});
