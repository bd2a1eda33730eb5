// A login belongs to the origin it was made at. A real browser that is logged in opens a page of another server on
// the same machine: that server gets the cookie, replays all it was sent, and gets nowhere with it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { WebSocket } from "ws";
import { API_ROUTES } from "../../../src/api/routes.ts";
import { DIALECT_ROUTES } from "../../../src/windows/all.ts";
import { launchBrowser } from "../../browser/support/browser.ts";
import { startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, quarterdeck, ROOT } from "../../support/program.ts";
import { webServer } from "../../support/servers/web-server.ts";

await promisify(execFile)(process.execPath, [join(ROOT, "scripts/build-web.ts")]); // a moment, unless it changed
const place = newTestHome({ demo_delay_ms: 0 });
const program = await openPair(place);
const browser = await launchBrowser();
after(async () => {
  await browser.close();
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
const { run_id, session_id } = await startRun(program, "say hello");
const { host, port } = new URL(program.url);

async function newLink(): Promise<string> {
  const { stdout } = await quarterdeck(["token", "--link", "--home", place.home]);
  return stdout.trim();
}

const isIn = (page: Page) => page.getByRole("textbox", { name: "Message" }).waitFor();
const storedProof = (page: Page) =>
  page.evaluate<string>(`localStorage.getItem("quarterdeck.login")`);

const page = await (await browser.newContext()).newPage();
await page.goto(await newLink());
await isIn(page);

type Asked = { readonly method: string; readonly path: string };
const IDS: Record<string, string> = {
  runId: run_id,
  run_id,
  sessionId: session_id,
  session_id,
  stream_id: run_id,
  channel_id: "terminal-dev",
};
const named = (path: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => IDS[name] ?? "x");
const ROUTES: readonly Asked[] = [
  ...API_ROUTES.filter(({ open }) => !open),
  ...Object.values(DIALECT_ROUTES).flat(),
].map(({ method, path }) => ({ method: method.toUpperCase(), path: named(path) }));
const OPEN = new Set(["/health", "/v1/health", "/api/gui/health", "/app"]); // no data in them
const SOCKETS = [
  "/api/feed?board=1",
  "/api/terminals/x/ws?offset=0&window=w",
  ...ROUTES.filter(({ method }) => method === "WS").map(({ path }) => path),
];

async function statusOf({ method, path }: Asked, headers: Record<string, string>): Promise<number> {
  const body = method === "GET" ? null : "{}";
  const json = { "content-type": "application/json" };
  const stop = new AbortController();
  const { status } = await fetch(`${program.url}${path}`, {
    method,
    body,
    headers: { ...json, ...headers },
    signal: stop.signal,
  });
  stop.abort(); // a stream that was let in would never end
  return status;
}

/** 101, or what the handshake was refused with. */
async function handshake(path: string, headers: Record<string, string>, protocols: string[] = []) {
  const ws = new WebSocket(`ws://${host}${path}`, protocols, { headers });
  ws.on("error", () => undefined);
  const opened = once(ws, "open").then(() => 101);
  const refused = once(ws, "unexpected-response").then(
    ([, response]) => (response as { statusCode: number }).statusCode,
  );
  opened.catch(() => undefined);
  const status = await Promise.race([opened, refused]);
  const { protocol } = ws;
  ws.terminate();
  return { status, protocol };
}

const ELSEWHERE = `<!doctype html><title>Elsewhere</title>`;

test("[A2b] finding A2: a server on another port gets the cookie, and with it nothing", async () => {
  await using elsewhere = await webServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(ELSEWHERE);
  });
  await page.goto(`${elsewhere.origin}/`);
  await page.evaluate(`fetch("/more", { method: "POST", credentials: "include" })`);
  const sent = elsewhere.requests.map(({ headers }) => headers);
  const cookie = sent.find((headers) => headers.cookie !== undefined)?.cookie ?? "";
  assert.match(
    cookie,
    /^qd_session=/,
    "browsers send it to every port: that is what is guarded against",
  );

  await page.goto(program.url);
  const proof = await storedProof(page);
  assert.ok(proof.length > 20);
  assert.ok(!JSON.stringify(sent).includes(proof));

  const ours = { origin: program.url, host, "sec-fetch-site": "same-origin" };
  const replays: Record<string, string>[] = [
    ...sent.map((headers) => ({ cookie: headers.cookie ?? "", host })),
    { cookie, ...ours },
    { cookie, ...ours, "x-quarterdeck-csrf": cookie.split("=")[1] ?? "" },
    { cookie, ...ours, "x-quarterdeck-csrf": "" },
    { cookie, ...ours, authorization: `Bearer ${cookie.split("=")[1]}` },
  ];
  const requests = ROUTES.filter(({ method, path }) => method !== "WS" && !OPEN.has(path));
  const sockets = SOCKETS.filter((path) => !path.startsWith("/api/channels/"));
  for (const headers of replays) {
    const answers = [
      ...requests.map(async (route) => [
        `${route.method} ${route.path}`,
        await statusOf(route, headers),
      ]),
      ...sockets.map(async (path) => [`WS ${path}`, (await handshake(path, headers)).status]),
    ];
    for (const [what, status] of await Promise.all(answers)) {
      assert.ok(status === 401 || status === 403, `${what}: ${status}`);
    }
  }
  // The same with the proof is the person: what is refused above is refused for the lack of it.
  const whole = { cookie, ...ours, "x-quarterdeck-csrf": proof };
  assert.equal(await statusOf({ method: "GET", path: "/api/status" }, whole), 200);
  const offered = ["quarterdeck", `quarterdeck.csrf.${proof}`];
  const opened = await handshake("/api/feed", { cookie, origin: program.url }, offered);
  assert.deepEqual(
    opened,
    { status: 101, protocol: "quarterdeck" },
    "and the proof is not repeated",
  );
});

test("[A2] finding A2: a page of another port cannot ask as the person either", async () => {
  await using elsewhere = await webServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(ELSEWHERE);
  });
  await page.goto(`${elsewhere.origin}/`);
  const attempts = await page.evaluate<Record<string, string>>(`(async () => {
    const base = ${JSON.stringify(program.url)};
    const read = (path, init) =>
      fetch(base + path, { credentials: "include", ...init }).then(
        async (answer) => answer.type + " " + answer.status,
        () => "failed",
      );
    const socket = (protocols) => new Promise((resolve) => {
      const ws = new WebSocket(base.replace("http", "ws") + "/api/feed?board=1", protocols);
      ws.onopen = () => resolve("open");
      ws.onclose = () => resolve("failed");
    });
    const element = (name, path) => new Promise((resolve) => {
      const made = document.createElement(name);
      made.onload = () => resolve("loaded");
      made.onerror = () => resolve("failed");
      made.src = base + path;
      document.head.append(made);
    });
    return {
      get: await read("/api/sessions"),
      session: await read("/api/auth/session"),
      post: await read("/api/runs", { method: "POST", body: "{}" }),
      stream: await read("/api/runs/${run_id}/events"),
      socket: await socket([]),
      proven: await socket(["quarterdeck", "quarterdeck.csrf.x"]),
      script: await element("script", "/api/sessions"),
      picture: await element("img", "/api/status"),
    };
  })()`);
  assert.deepEqual(new Set(Object.values(attempts)), new Set(["failed"]), JSON.stringify(attempts));
});

test("[A2] a device's channel opens without a token for a moment, and a cookie does not count as one", async () => {
  const [known] = await page.context().cookies();
  const headers = { cookie: `qd_session=${known?.value}`, origin: program.url };
  const ws = new WebSocket(`ws://${host}/api/channels/terminal-dev/ws`, { headers });
  await once(ws, "open");
  ws.send(JSON.stringify({ type: "connect", peer_id: "p", user_id: "u" }));
  const [said] = (await once(ws, "message")) as [Buffer];
  assert.match(said.toString(), /A token is needed/);
  ws.terminate();
});

test("[A2] reloads, further tabs and a second login go on; another origin says what to do", async () => {
  await page.goto(program.url);
  await isIn(page);
  await page.reload();
  await isIn(page);
  const second = await page.context().newPage();
  await second.goto(`${program.url}/s/${session_id}`);
  await second.getByRole("log").getByText("hello").first().waitFor();

  const third = await page.context().newPage(); // a new login, in another tab, changes cookie and proof
  const before = await storedProof(page);
  await third.goto(await newLink());
  await isIn(third);
  assert.notEqual(await storedProof(page), before);
  const box = second.getByRole("textbox", { name: "Message" });
  await box.fill("say still here");
  await box.press("Enter");
  await second.getByRole("log").getByText("still here").last().waitFor();

  const other = await page.context().newPage();
  await other.goto(`http://localhost:${port}/`);
  await other.getByRole("heading", { name: "You’re signed out" }).waitFor();
  assert.equal(await other.getByRole("alert").count(), 0, "another host has not even the cookie");
  await third.evaluate("localStorage.clear()");
  await third.reload();
  const why = third.getByRole("alert");
  assert.match((await why.textContent()) ?? "", /not this page.*was cleared.*token --link/s);
  await page.goto(await newLink());
  await isIn(third); // whoever waits at the login is let in when another tab logs in
});
