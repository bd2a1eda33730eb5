// An agent in a browser, with real processes: permissions, pictures in the journal, and whatever is killed in the middle.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { BrowserView } from "../../../src/features/browser/records.ts";
import { screenshotOf } from "../../../src/kernel/events/screenshot.ts";
import { chromiumPath } from "../../../src/features/browser/host/test-support.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { liveChrome } from "../../support/live-chrome.ts";
import type { RecordedRequest } from "../../support/models/model-server.ts";
import { openPair } from "../../support/pair.ts";
import { kill, newTestHome } from "../../support/program.ts";
import { answerQuestion, eventsOf, isRunning, runInfo, textOf } from "../../support/runs.ts";
import {
  messagesIn,
  startAgent,
  type AgentStep,
  type Script,
} from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";
import { webServer } from "../../support/servers/web-server.ts";

const MODEL = "scripted/agent";
const HOST = "127.0.0.1";

/** A shop: an order is answered when the test lets it. */
async function shop() {
  const orders: ServerResponse[] = [];
  const server = await webServer(({ method, url }, response) => {
    if (method === "POST") return void orders.push(response);
    response.setHeader("content-type", "text/html");
    response.end(`<title>Shop</title><h1>Shop ${url}</h1><form method=post action=/order>
      <label>How many <input name=n></label><button>Order</button></form>`);
  });
  return { ...server, orders, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** This model takes pictures: the one it asked for comes after the results of its step. */
const hasPicture = (request: RecordedRequest) =>
  JSON.stringify(messagesIn(request).at(-1)?.content ?? "").includes("data:image/png;base64,");

async function place(script: readonly AgentStep[] | Script) {
  const model = await startAgent(script);
  const settings = { browser_executable: await chromiumPath(), allow_private_hosts: [HOST] };
  const made = newTestHome({ base_url: model.baseUrl, model: MODEL, ...settings });
  return { model, made };
}

async function begin(program: Server, options: { yolo: boolean }): Promise<string> {
  await call(program, "POST", "/api/sessions", { session_id: "s" });
  await call(program, "POST", "/api/sessions/s/settings", options);
  return (await startRun(program, "go", { session_id: "s", model: MODEL })).run_id;
}

const connect = (program: Server, body: object = {}) =>
  call<BrowserView>(program, "POST", "/api/browser/connect", body);
/** Says yes to so many requests, one after another. */
async function allow(program: Server, runId: string, times: number): Promise<void> {
  const seen = new Set<string>();
  while (seen.size < times) {
    const id = await until(async () => {
      const { pending_approval_id } = await runInfo(program, runId);
      return pending_approval_id && !seen.has(pending_approval_id) ? pending_approval_id : null;
    }, "an approval request");
    seen.add(id);
    await call(program, "POST", `/api/runs/${runId}/approvals/${id}`, { choice: "once" });
  }
}
const offered = ({ body }: RecordedRequest) =>
  (body["tools"] as { function: { name: string } }[]).map((each) => each.function.name);

test("[BR1, BR3, BR5] opened, typed, clicked and photographed, each with permission for its host; the picture is kept", async () => {
  await using web = await shop();
  const open = { name: "browser_open", args: { url: `${web.origin}/` } };
  const script = [
    { calls: [open] },
    { calls: [{ name: "browser_type", args: { host: HOST, target: "input", text: "3" } }] },
    { calls: [{ name: "browser_read", args: {} }] },
    { calls: [{ name: "browser_screenshot", args: {} }] },
  ];
  const { model, made } = await place((request) =>
    hasPicture(request) ? [{ say: "Seen." }] : script,
  );
  await using _model = model;
  using _made = made;
  await using program = await openPair(made);
  const without = await begin(program, { yolo: false });
  await followRun(() => program, without);
  assert.ok(!offered(await model.request(0)).some((name) => name.startsWith("browser_")));

  assert.equal((await connect(program)).body.data.mode, "start");
  const before = model.requests.length;
  const { run_id } = await startRun(program, "again", { session_id: "s", model: MODEL });
  await allow(program, run_id, 2); // open and type; reading what was opened asks nobody
  const { events } = await followRun(() => program, run_id);
  assert.ok(offered(model.requests[before] ?? assert.fail()).includes("browser_open"));
  const asked = eventsOf(events, "approval.requested").map(({ payload }) => payload.reason);
  assert.deepEqual(asked, Array(2).fill(`Reaches for the network: ${HOST}`));
  const done = eventsOf(events, "tool.done").map(({ payload }) => payload);
  assert.deepEqual(
    done.map(({ ok }) => ok),
    [true, true, true, true],
    JSON.stringify(done.map(({ error }) => error)),
  );
  assert.match(done[2]?.output.head ?? "", /textbox "How many".*: "?3"?/);

  const screenshot = screenshotOf(done[3] ?? assert.fail()) ?? assert.fail("no picture");
  const headers = { authorization: `Bearer ${program.token}` };
  const blob = await fetch(`${program.url}/api/blobs/${screenshot.sha256}`, { headers });
  const bytes = Buffer.from(await blob.arrayBuffer());
  assert.deepEqual([bytes.length, bytes.subarray(1, 4).toString()], [screenshot.bytes, "PNG"]);
  const last = model.requests.at(-1) ?? assert.fail();
  assert.ok(hasPicture(last), "the model saw it");
  assert.match(JSON.stringify(messagesIn(last)), /\[attached: screenshot\.png, image\/png/);
  const exported = await fetch(`${program.url}/api/runs/${run_id}/export?format=json`, { headers });
  assert.match(await exported.text(), new RegExp(`"content":{"sha256":"${screenshot.sha256}"`));
});

const ORDER: readonly AgentStep[] = [
  { calls: [{ name: "browser_click", args: { host: HOST, target: "button" } }] },
  { calls: [{ name: "browser_read", args: {} }] },
  { say: "Over." },
];

test("[BR2d, X3] a runner killed in the middle of a click: it is asked about, not clicked again, and the browser is gone", async () => {
  await using web = await shop();
  const open = { name: "browser_open", args: { url: `${web.origin}/` } };
  const { model, made } = await place([{ calls: [open] }, ...ORDER]);
  await using _model = model;
  using _made = made;
  await using program = await openPair(made, { apart: ["work"] });
  await connect(program);
  const run_id = await begin(program, { yolo: true });
  await until(() => web.orders.length === 1, "the order");
  const active = await call<BrowserView>(program, "GET", "/api/browser");
  assert.equal(active.body.data.active_sessions, 1);
  const [runner = 0] = (await program.status()).runners.map(({ pid }) => pid);
  const family = descendantsOf(runner);
  assert.ok(family.length > 2, "a host and its browser");
  await program.kill("work");
  await until(() => !family.some(isRunning), "the end of the browser with its host");
  await answerQuestion(program, run_id, "mark_done");
  const { events } = await followRun(() => program, run_id);
  assert.equal(web.orders.length, 1, "never a second order");
  assert.equal(eventsOf(events, "tool.outcome_unknown").length, 1);
  const last = eventsOf(events, "tool.done").at(-1)?.payload;
  assert.deepEqual([last?.name, last?.error?.code], ["browser_read", "page_gone"]);
  assert.equal((await call<BrowserView>(program, "GET", "/api/browser")).body.data.connected, true);
});

test("[BR2d] a browser host killed in the middle of a click: unknown too, and the next call begins anew", async () => {
  await using web = await shop();
  const open = { name: "browser_open", args: { url: `${web.origin}/` } };
  const { model, made } = await place([{ calls: [open] }, ...ORDER.slice(0, 2), { calls: [open] }]);
  await using _model = model;
  using _made = made;
  await using program = await openPair(made);
  await connect(program);
  const run_id = await begin(program, { yolo: true });
  await until(() => web.orders.length === 1, "the order");
  const [runner = 0] = (await program.status()).runners.map(({ pid }) => pid);
  const host = descendantsOf(runner).find((pid) => isBrowserHost(pid)) ?? assert.fail("no host");
  kill(host, "SIGKILL");
  await answerQuestion(program, run_id, "skip");
  const { events } = await followRun(() => program, run_id);
  const done = eventsOf(events, "tool.done").map(({ payload }) => payload);
  assert.deepEqual(
    done.map(({ name, status }) => `${name} ${status}`),
    [
      "browser_open completed",
      "browser_click skipped",
      "browser_read failed",
      "browser_open completed",
    ],
  );
  assert.equal(done[2]?.error?.code, "page_gone");
  assert.equal(web.orders.length, 1);
});

test("[BR1, BR4] a live Chrome is worked in and left as it was; the choice outlives every process", async () => {
  await using web = await shop();
  await using chrome = await liveChrome();
  const open = (url: string) => ({ calls: [{ name: "browser_open", args: { url } }] });
  const { model, made } = await place([open(`${web.origin}/mine`), open("http://10.0.0.1/")]);
  await using _model = model;
  using _made = made;
  const first = await openPair(made, { apart: ["serve", "work"] });
  const refused = await connect(first, { cdp_url: "127.0.0.1:1" });
  assert.equal(refused.body.error.code, "conflict");
  assert.equal((await connect(first, { cdp_url: chrome.url })).body.data.reachable, true);
  await first.killAll();

  await using program = await openPair(made);
  const still = (await call<BrowserView>(program, "GET", "/api/browser")).body.data;
  assert.deepEqual([still.mode, still.cdp_url, still.reachable], ["connect", chrome.url, true]);
  const { events } = await followRun(() => program, await begin(program, { yolo: true }));
  const done = eventsOf(events, "tool.done").map(({ payload }) => payload);
  assert.deepEqual([done[0]?.ok, done[1]?.error?.code], [true, "address_refused"]);
  assert.ok((await chrome.tabs()).includes(`${web.origin}/mine`), "a tab of the person's browser");
  await call(program, "POST", "/api/browser/disconnect", {});
  await until(async () => !(await chrome.tabs()).includes(`${web.origin}/mine`), "its end");
  assert.deepEqual(await chrome.tabs(), ["about:blank"], "and nothing else of it");

  await connect(program, { cdp_url: chrome.url.replace("http", "ws") });
  await chrome.end();
  const { run_id } = await startRun(program, "again", { session_id: "s", model: MODEL });
  const after = eventsOf((await followRun(() => program, run_id)).events, "tool.done");
  assert.equal(after[0]?.payload.error?.code, "cannot_start");
  const view = (await call<BrowserView>(program, "GET", "/api/browser")).body.data;
  assert.deepEqual([view.connected, view.reachable], [true, false]);
});

test("[BR1] disconnected in the middle of a run: the browser ends, and the agent is told how to get one", async () => {
  await using web = await shop();
  const open = { name: "browser_open", args: { url: `${web.origin}/` } };
  const wait = { name: "clarify", args: { question: "Go on?" } };
  const { model, made } = await place([{ calls: [open] }, { calls: [wait] }, { calls: [open] }]);
  await using _model = model;
  using _made = made;
  await using program = await openPair(made);
  await connect(program);
  const run_id = await begin(program, { yolo: true });
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"clarify.requested"'),
  });
  const [runner = 0] = (await program.status()).runners.map(({ pid }) => pid);
  const host = descendantsOf(runner).find((pid) => isBrowserHost(pid)) ?? assert.fail("no host");
  await call(program, "POST", "/api/browser/disconnect", {});
  await until(() => !isRunning(host), "the end of the browser");
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  const last = eventsOf(events, "tool.done").at(-1)?.payload;
  assert.equal(last?.error?.code, "not_connected");
  assert.match(last?.error?.message ?? "", /\/browser/);
});

function descendantsOf(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function isBrowserHost(pid: number): boolean {
  return /features\/browser\/host\/main\.[jt]s/.test(textOf(`/proc/${pid}/cmdline`));
}
