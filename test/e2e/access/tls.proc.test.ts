// TLS wherever it is configured: our own server and our own clients. Connections to the database: test/e2e/postgres.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { WebSocket } from "ws";
import { newAuthority } from "../../support/servers/certificates.ts";
import { openServer } from "../../support/pair.ts";
import { startServe, startWork } from "../../support/processes.ts";
import { MAIN, newTestHome, quarterdeck } from "../../support/program.ts";

const authority = newAuthority();
const stranger = newAuthority();
after(() => {
  authority[Symbol.dispose]();
  stranger[Symbol.dispose]();
});
const here = authority.issue("here", ["IP:127.0.0.1", "DNS:localhost"]);
const elsewhere = authority.issue("elsewhere", ["DNS:elsewhere.example"]);
const tls = ["--tls-cert", here.cert, "--tls-key", here.key];

type Asking = { headers?: IncomingHttpHeaders; method?: string; body?: string; ca?: string };

async function ask(url: string, { headers = {}, method = "GET", body = "", ca }: Asking = {}) {
  const sent = request(url, {
    method,
    headers,
    ca: readFileSync(ca ?? authority.ca),
    agent: false,
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const text = (await buffer(response)).toString();
  return { status: response.statusCode, headers: response.headers, text };
}

test("[A1, A2] with a certificate everything is https: address, origin, cookie, page", async () => {
  using place = newTestHome();
  await using server = await openServer(place, { args: tls });
  assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const { port } = new URL(server.url);
  const bearer = { authorization: `Bearer ${server.token}` };
  assert.equal((await ask(`${server.url}/api/status`, { headers: bearer })).status, 200);
  await assert.rejects(ask(`${server.url}/health`, { ca: stranger.ca }), /certificate|signature/);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/health`), "nothing is said in the clear");

  const from = async (origin: string) =>
    (await ask(`${server.url}/api/status`, { headers: { ...bearer, origin } })).status;
  assert.equal(await from(`https://127.0.0.1:${port}`), 200);
  assert.equal(await from(`https://localhost:${port}`), 200);
  assert.equal(await from(`http://127.0.0.1:${port}`), 403);
  assert.equal(await from("https://127.0.0.1"), 403);

  const link = await quarterdeck(["token", "--link", "--home", place.home]);
  const [, url, code] = /^(\S+)\/#login=(\S+)/.exec(link.stdout) ?? [];
  assert.equal(url, server.url);
  const login = await ask(`${server.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const [cookie = ""] = login.headers["set-cookie"] ?? [];
  assert.match(cookie, /; HttpOnly; SameSite=Strict; .*; Secure$/);
});

test("[W9, A1] WebSockets work over TLS, and are checked as without", async () => {
  using place = newTestHome();
  await using server = await openServer(place, { args: tls });
  const ca = readFileSync(authority.ca);
  const authorization = `Bearer ${server.token}`;
  const feed = `${server.url.replace("https", "wss")}/api/feed`;
  const opened = new WebSocket(feed, { ca, headers: { authorization }, origin: server.url });
  const [first] = (await once(opened, "message")) as [Buffer];
  assert.equal((JSON.parse(first.toString()) as { feed: string }).feed, "heartbeat");
  opened.close();
  const foreign = server.url.replace("https", "http");
  const refused = new WebSocket(feed, { ca, headers: { authorization }, origin: foreign });
  const [, response] = (await once(refused, "unexpected-response")) as [
    unknown,
    { statusCode: number },
  ];
  assert.equal(response.statusCode, 403);
  refused.on("error", () => undefined).terminate();
});

test("[W9] our own terminal finds the server by its https address and trusts what it is told to", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  await using server = await startServe(place, { args: tls });
  await using _runner = await startWork(place);
  const say = async (args: string[], env: Record<string, string> = {}) => {
    const flags = ["--home", place.home, ...args];
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(process.execPath, [MAIN, "terminal", ...flags], {
      env: { PATH, HOME, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.end("say hello\n");
    const [out, error] = await Promise.all([buffer(child.stdout), buffer(child.stderr)]);
    return { out: out.toString().trim(), error: error.toString() };
  };
  assert.match((await say(["--tls-ca", authority.ca])).out, /hello/);
  assert.match((await say([], { NODE_EXTRA_CA_CERTS: authority.ca })).out, /hello/);
  const untrusted = await say(["--wait", "0.5"]);
  assert.equal(untrusted.out, "");
  assert.match(untrusted.error, /UNABLE_TO_VERIFY|SELF_SIGNED|signature/);
  assert.ok(server.output().startsWith("Serving https://"));
});

test("[S] a certificate that cannot be used is refused before anything listens", async () => {
  using place = newTestHome();
  const cases: [args: string[], code: number, message: RegExp][] = [
    [["--tls-cert", here.cert], 2, /belong together/],
    [["--tls-cert", here.cert, "--tls-key", "/no/such"], 3, /--tls-key \/no\/such cannot be read/],
    [["--tls-cert", here.cert, "--tls-key", elsewhere.key], 3, /does not belong to/],
    [["--tls-cert", here.key, "--tls-key", here.cert], 3, /a certificate and its key/],
  ];
  const at = ["--home", place.home, "--workspace", place.workspace, "--port", "0"];
  for (const [args, code, message] of cases) {
    const result = await quarterdeck(["serve", ...at, ...args]);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, message);
    assert.match(result.stderr, /^[^\n]+\n$/);
  }
});
