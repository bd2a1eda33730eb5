// Who gets in, and how: every check is one request to a real server, most of them refused.
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { WebSocket } from "ws";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { openServer, openPair } from "../../support/pair.ts";
import { newTestHome, quarterdeck, startProgram } from "../../support/program.ts";

import { sendRaw } from "../../support/journal/raw.ts";
import { until } from "../../support/until.ts";

const place = newTestHome({ demo_delay_ms: 0 });
const program = await startProgram(place);
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
const { run_id, session_id } = await startRun(program, "say hello");
const { host, port } = new URL(program.url);

const ROUTES: [method: string, path: string][] = [
  ["POST", "/api/runs"],
  ["GET", `/api/runs/${run_id}`],
  ["GET", `/api/runs/${run_id}/snapshot`],
  ["GET", `/api/runs/${run_id}/events`],
  ["POST", `/api/runs/${run_id}/cancel`],
  ["POST", `/api/runs/${run_id}/approvals/x`],
  ["POST", `/api/runs/${run_id}/clarifications/x`],
  ["POST", `/api/runs/${run_id}/messages`],
  ["GET", "/api/sessions"],
  ["POST", "/api/sessions"],
  ["GET", `/api/sessions/${session_id}`],
  ["GET", `/api/sessions/${session_id}/events`],
  ["POST", `/api/sessions/${session_id}/title`],
  ["POST", `/api/sessions/${session_id}/goal`],
  ["GET", "/api/pending"],
  ["GET", "/api/status"],
  ["GET", "/api/auth/session"],
  ["GET", `/api/blobs/${"0".repeat(64)}`],
  ["POST", "/api/demo/kill-runner"],
  ["GET", "/api/gui/meta"],
  ["POST", "/api/gui/chat/send"],
  ["POST", "/api/gui/chat/stop"],
  ["GET", "/api/no/such/route"],
];

/** One request as bytes, so that nothing on our side normalizes it. */
function request(line: string, headers: Record<string, string> = {}, body = "") {
  const all = { host, ...headers, ...(body && { "content-length": `${body.length}` }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return sendRaw(program.url, [`${line} HTTP/1.1\r\n${lines.join("")}\r\n${body}`]);
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function login(server: Server, args: string[] = ["--home", place.home]) {
  const { stdout } = await quarterdeck(["token", "--link", ...args]);
  const code = /#login=(\S+)/.exec(stdout)?.[1] ?? "";
  const answer = await call<{ csrf: string }>(
    server,
    "POST",
    "/api/auth/login",
    { code },
    {
      authorization: "",
    },
  );
  const setCookie = answer.headers.get("set-cookie") ?? "";
  const { csrf: proof } = answer.body.data;
  return { code, answer, setCookie, proof, cookie: setCookie.split(";")[0] ?? "" };
}

test("[A1] only the exact hosts are answered, before anything else is looked at", async () => {
  const cases = {
    "evil.example": 403,
    [`evil.example:${port}`]: 403,
    [`127.0.0.1.nip.io:${port}`]: 403,
    [`localhost.:${port}`]: 403,
    "127.0.0.1": 403,
    "127.0.0.1:1": 403,
    [`user@127.0.0.1:${port}`]: 403,
    [`localhost:${port}`]: 200,
    [`LOCALHOST:${port}`]: 200,
    [`[::1]:${port}`]: 200,
    [`127.0.0.1:${port}`]: 200,
  };
  for (const [name, status] of Object.entries(cases)) {
    for (const path of ["/api/gui/health", "/api/status", "/"]) {
      const answer = await request(`GET ${path}`, { host: name, ...bearer(program.token) });
      assert.equal(answer.status, status, `${name} ${path}`);
      if (status === 403) assert.equal(answer.json().error.code, "bad_host", name);
    }
  }
});

test("[A1] requests from other sites are refused, also to the open routes", async () => {
  const cases = {
    "https://evil.example": 403,
    "http://evil.example": 403,
    [`http://127.0.0.1.evil.example:${port}`]: 403,
    [`https://127.0.0.1:${port}`]: 403,
    "http://127.0.0.1:1": 403,
    "http://127.0.0.1": 403,
    null: 403,
    "": 403,
    [`http://127.0.0.1:${port}`]: 200,
    [`http://localhost:${port}`]: 200,
    [`http://127.0.0.1:${port}/`]: 403,
    [`http://127.0.0.1:${port}/path`]: 403,
    [`http://user@127.0.0.1:${port}`]: 403,
  };
  for (const [origin, status] of Object.entries(cases)) {
    const answer = await request("GET /api/status", { origin, ...bearer(program.token) });
    assert.equal(answer.status, status, origin);
    const open = await request("GET /api/gui/health", { origin });
    assert.equal(open.status, status, `health from ${origin}`);
  }
});

test("[A2] nothing but health and login is answered without a token, on loopback too", async () => {
  for (const [method, path] of ROUTES) {
    const answer = await request(`${method} ${path}`);
    assert.equal(answer.status, 401, `${method} ${path}`);
    assert.equal(answer.json().error.code, "unauthorized");
    assert.deepEqual(
      Object.keys(answer.headers).filter((name) => name.startsWith("access-control")),
      [],
    );
  }
  assert.equal((await request("GET /api/gui/health")).status, 200);
});

test("[A2] no spelling of a path gets around the token", async () => {
  const spellings = [
    `http://${host}/api/status`,
    "http://evil.example/api/status",
    "/%61pi/status",
    "/ap%69/sessions",
    "/%2561pi/status",
    "//api/status",
    "/./api/status",
    "/API/status",
    "/api;x/status",
    "/assets/..%2f..%2fapi/status",
    "/assets/../api/status",
    "/api/gui/health/../../status",
    "/api/gui/health%2f..%2f..%2fstatus",
    "*",
  ];
  for (const spelling of spellings) {
    for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
      const answer = await request(`${method} ${spelling}`);
      assert.ok([400, 401, 404].includes(answer.status), `${method} ${spelling}: ${answer.status}`);
    }
  }
});

test("[A2] a wrong token is refused, in whatever shape", async () => {
  const wrong = ["x", program.token.slice(1), `${program.token}x`, program.token.toUpperCase()];
  for (const token of wrong) {
    const answer = await request("GET /api/status", bearer(token));
    assert.equal(answer.status, 401);
  }
  assert.equal((await request("GET /api/status", bearer(program.token))).status, 200);
  for (const authorization of [`Basic ${btoa(`:${program.token}`)}`, program.token, ""]) {
    assert.equal((await request("GET /api/status", { authorization })).status, 401);
  }
  assert.equal((await request(`GET /api/status?token=${program.token}`)).status, 401);
});

test("[A2b] a cookie reads and changes nothing without the proof of its login", async () => {
  const { answer, setCookie, cookie, proof } = await login(program);
  assert.equal(answer.status, 200);
  for (const flag of ["HttpOnly", "SameSite=Strict", "Path=/"]) assert.ok(setCookie.includes(flag));
  assert.ok(!setCookie.includes(program.token), "the cookie is not the token");
  assert.ok(!JSON.stringify(answer.body).includes(program.token));

  const body = JSON.stringify({ title: "x" });
  const ask = async (given: string, of = cookie) => {
    const headers = { "content-type": "application/json", cookie: of, "x-quarterdeck-csrf": given };
    const read = await request("GET /api/status", headers);
    const changed = await request(`POST /api/sessions/${session_id}/title`, headers, body);
    return [read.status, changed.status];
  };
  assert.deepEqual(await ask(proof), [200, 202]);
  assert.deepEqual(await ask(""), [401, 401]);
  assert.deepEqual(await ask("x"), [401, 401]);
  for (const [method, path] of ROUTES) {
    const alone = await request(`${method} ${path}`, { cookie });
    assert.equal(alone.status, 401, `${method} ${path}`);
    assert.deepEqual(alone.json().error.details, { reason: "no_proof" });
  }
  const other = await login(program);
  assert.deepEqual(await ask(other.proof), [401, 401], "it is of this login");
  const forged = cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  assert.deepEqual(await ask(proof, forged), [401, 401]);
  // A page of another port can set cookies of our name: beside the right one they do no harm.
  assert.deepEqual(await ask(proof, `qd_session=x; ${other.cookie}; ${cookie}`), [200, 202]);
  const session = await request("GET /api/auth/session", { cookie, "x-quarterdeck-csrf": proof });
  assert.deepEqual(session.json(), { ok: true, data: { authenticated: true, required: true } });
});

test("[A2] no GET changes anything", async () => {
  const head = async () => {
    const run = await call(program, "GET", `/api/runs/${run_id}`);
    const session = await call<{ session: object }>(program, "GET", `/api/sessions/${session_id}`);
    return [run.body.data, session.body.data.session];
  };
  await until(async () => (await head())[0]?.["terminal_state" as never], "the run to end");
  const before = await head();
  for (const [method, path] of ROUTES) {
    if (method === "POST") await request(`GET ${path}`, bearer(program.token));
    else if (!path.endsWith("/events")) await request(`GET ${path}`, bearer(program.token));
  }
  const code = /#login=(\S+)/.exec(
    (await quarterdeck(["token", "--link", "--home", place.home])).stdout,
  )?.[1];
  await request(`GET /api/auth/login?code=${code}`);
  assert.deepEqual(await head(), before);
  const still = await call(program, "POST", "/api/auth/login", { code }, { authorization: "" });
  assert.equal(still.status, 200, "a GET has not used the code up");
});

test("[S] the page and every answer carry the headers that keep other sites out", async () => {
  for (const path of ["/", "/s/some-session"]) {
    const page = await request(`GET ${path}`);
    assert.equal(page.status, 200);
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    const policy = page.headers["content-security-policy"] ?? "";
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      assert.ok(policy.includes(rule), `${path} ${rule}`);
    }
    assert.ok(!/unsafe|\*/.test(policy), policy);
    assert.ok(!page.body.includes(program.token));
  }
  for (const path of ["/", "/api/gui/health", "/api/status", "/nothing", "/%"]) {
    const { headers } = await request(`GET ${path}`);
    assert.equal(headers["x-content-type-options"], "nosniff", path);
    assert.equal(headers["x-frame-options"], "DENY", path);
    assert.equal(headers["referrer-policy"], "no-referrer", path);
    assert.equal(headers["access-control-allow-origin"], undefined);
  }
});

test("[S] the token is printed nowhere, and every file of the home is its owner's alone", async () => {
  const { output } = program;
  assert.match(output(), /#login=\S+/);
  assert.ok(!output().includes(program.token));
  for (const pid of [program.child.pid as number, (await program.status()).serve?.pid as number]) {
    for (const file of ["cmdline", "environ"]) {
      const { readFileSync } = await import("node:fs");
      assert.ok(!readFileSync(`/proc/${pid}/${file}`, "utf8").includes(program.token));
    }
  }
  const open = [place.home, ...paths(place.home)].filter((path) => {
    const stats = statSync(path);
    return !path.endsWith("config.json") && (stats.mode & 0o077) !== 0; // the test wrote that one
  });
  assert.deepEqual(open, []);
});

function paths(directory: string): string[] {
  return readdirSync(directory, { recursive: true }).map((name) => join(directory, String(name)));
}

test("[A3a] rotating the token closes open streams and refuses the old one", async () => {
  using own = newTestHome();
  await using server = await openServer(own);
  const started = await startRun(server, "say never started: there is no runner");
  const { cookie, proof } = await login(server, ["--home", own.home]);
  const stream = readEvents(server, `/api/runs/${started.run_id}/events`);
  const asSession = readEvents(server, `/api/sessions/${started.session_id}/events`);
  const given = await call<{ ticket: string }>(server, "POST", "/api/auth/ticket");
  const { ticket } = given.body.data;
  const rotated = await quarterdeck(["token", "--rotate", "--home", own.home]);

  assert.equal((await stream).ended, true);
  assert.equal((await asSession).ended, true);
  assert.equal((await call(server, "GET", "/api/status")).status, 401);
  const byCookie = await call(server, "GET", "/api/status", undefined, {
    authorization: "",
    cookie,
    "x-quarterdeck-csrf": proof,
  });
  assert.equal(byCookie.status, 401);
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/feed`, [
    "quarterdeck",
    `quarterdeck.ticket.${ticket}`,
  ]);
  const answered = await new Promise<string>((resolve) => {
    socket.once("open", () => (resolve("open"), socket.terminate()));
    socket.once("unexpected-response", (_, { statusCode }) => resolve(String(statusCode)));
    socket.on("error", () => undefined);
  });
  assert.equal(answered, "401", "a ticket of the old token");
  const token = rotated.stdout.trim();
  assert.equal((await call({ url: server.url, token }, "GET", "/api/status")).status, 200);
});

test("[A1b] a page that was allowed may ask with a token, and a cookie does not count there", async () => {
  const origin = "http://localhost:5173";
  using other = newTestHome({ demo_delay_ms: 0, allowed_origins: [`${origin}/`] });
  await using server = await openPair(other);
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/api/sessions`, { headers })).status;
  assert.equal(await ask({ ...bearer(server.token), origin }), 200);
  assert.equal(await ask({ origin }), 401);
  assert.equal(await ask({ ...bearer(server.token), origin: "http://localhost:5174" }), 403);
  const { cookie, proof } = await login(server, ["--home", other.home]);
  const logged = { cookie, "x-quarterdeck-csrf": proof };
  assert.equal(await ask({ ...logged, origin }), 401);
  assert.equal(await ask(logged), 200);
});

test("[A1, W9] a page of another origin opens a socket with a ticket, once", async () => {
  const origin = "http://localhost:5173";
  using other = newTestHome({ demo_delay_ms: 0, allowed_origins: [origin] });
  await using server = await openPair(other);
  const opened = async (protocols: string[], from = origin) => {
    const address = `${server.url.replace("http", "ws")}/api/feed`;
    const socket = new WebSocket(address, protocols, { origin: from });
    return new Promise<string>((resolve) => {
      socket.once("open", () => (resolve(`open ${socket.protocol}`), socket.terminate()));
      socket.once("unexpected-response", (_, { statusCode }) => resolve(String(statusCode)));
      socket.on("error", () => undefined);
    });
  };
  const ask = (headers: Record<string, string>) =>
    fetch(`${server.url}/api/auth/ticket`, { method: "POST", headers });
  assert.equal((await ask({ origin })).status, 401, "not without a token");
  const answer = await ask({ ...bearer(server.token), origin });
  const { data } = (await answer.json()) as { data: { ticket: string; expires_in: number } };
  assert.equal(data.expires_in, 30);
  const offered = ["quarterdeck", `quarterdeck.ticket.${data.ticket}`];
  assert.equal(await opened(offered, "http://localhost:5174"), "403", "from nowhere else");
  assert.equal(await opened(offered), "open quarterdeck");
  assert.equal(await opened(offered), "401", "it is used up");
  assert.equal(await opened(["quarterdeck", "quarterdeck.ticket.guess"]), "401");
  const body = JSON.stringify({ code: data.ticket });
  const headers = { "content-type": "application/json" };
  const login = await fetch(`${server.url}/api/auth/login`, { method: "POST", headers, body });
  assert.equal(login.status, 401, "a ticket is no login");
});
