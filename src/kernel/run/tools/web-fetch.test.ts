import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { toolRun } from "../../../../test/support/tool-run.ts";
import { until } from "../../../../test/support/until.ts";
import { webServer } from "../../../../test/support/servers/web-server.ts";
import type { FetchSettings } from "../web/fetch-page.ts";
import type { ToolResult } from "./tool.ts";
import { createWebFetch } from "./web-fetch.ts";

const LOCAL: FetchSettings = { allowPrivateHosts: ["127.0.0.1"] };
const html = { "content-type": "text/html; charset=utf-8" };

async function fetched(
  url: string,
  settings: FetchSettings = LOCAL,
  input: Record<string, unknown> = {},
): Promise<ToolResult> {
  await using run = await toolRun();
  return await run.call(createWebFetch(settings), { url, ...input });
}

test("[S] a page is read as text, by an honest client without cookies", async () => {
  await using server = await webServer((_, response) => {
    response.writeHead(200, { ...html, "set-cookie": "a=b" });
    response.end("<title>Ship</title><h1>Deck</h1><a href=/hold>below</a>");
  });
  const { ok, result, output } = await fetched(`${server.origin}/x#top`);
  assert.ok(ok);
  assert.deepEqual(result, {
    ok: true,
    url: `${server.origin}/x#top`,
    status: 200,
    content_type: html["content-type"],
    bytes: 55,
    truncated: false,
    title: "Ship",
  });
  assert.equal(output?.head, `Ship\n\n# Deck\n\n[below](${server.origin}/hold)`);
  const { headers } = server.requests[0] ?? assert.fail();
  assert.match(headers["user-agent"] ?? "", /^Quarterdeck\//);
  assert.ok(!headers.cookie && !headers.referer && !headers.authorization);
});

test("[S] this machine is refused unless a person allowed it, however it is written", async () => {
  await using server = await webServer((_, response) => response.end("secret"));
  const hosts = ["127.0.0.1", "localhost", "2130706433", "0177.1", "[::ffff:127.0.0.1]", "[::1]"];
  for (const host of hosts) {
    const { error } = await fetched(`http://${host}:${server.port}/`, { allowPrivateHosts: [] });
    assert.equal(error?.code, "address_refused", host);
  }
  for (const url of ["file:///etc/passwd", "ftp://example.com/", "nonsense"])
    assert.equal((await fetched(url)).error?.code, "invalid_url");
  const withUser = await fetched(`http://me:pw@127.0.0.1:${server.port}/`);
  assert.equal(withUser.error?.code, "credentials_in_url");
  assert.equal(server.requests.length, 0);
});

test("[S] a name is resolved once: an answer that changes later is never asked for", async () => {
  await using server = await webServer((request, response) => {
    if (request.url === "/") response.writeHead(302, { location: "/next" });
    response.end("here");
  });
  let asked = 0;
  // Rebinding the other way round: the first answer leads to the server, a second one would not.
  const lookup = async () => {
    asked += 1;
    return [{ address: asked === 1 ? "127.0.0.1" : "169.254.169.254", family: 4 }];
  };
  const settings = { allowPrivateHosts: ["127.0.0.1"], lookup };
  const { output } = await fetched(`http://rebind.test:${server.port}/`, settings);
  assert.equal(output?.head, "here");
  assert.deepEqual(
    [asked, server.requests.map(({ headers }) => headers.host)],
    [1, Array(2).fill(`rebind.test:${server.port}`)],
  );

  let answers = 0;
  const turning = async () => {
    answers += 1;
    return [{ address: answers === 1 ? "203.0.113.1" : "127.0.0.1", family: 4 }];
  };
  const refused = await fetched(`http://rebind.test:${server.port}/`, {
    allowPrivateHosts: ["203.0.113.1"],
    lookup: turning,
    connectMs: 50,
  });
  assert.equal(refused.ok, false);
  assert.deepEqual([answers, server.requests.length], [1, 2], "nobody asked again or came here");
});

test("[S] TLS is asked for the name, and talks to the address that was checked", async () => {
  const names: string[] = [];
  const server = createServer({
    SNICallback: (name, done) => {
      names.push(name);
      done(new Error("no certificate in this test"));
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
  const { error } = await fetched(`https://ship.test:${port}/`, { ...LOCAL, lookup });
  assert.deepEqual([names, error?.code], [["ship.test"], "not_connected"]);
  await new Promise<void>((resolve) => void server.close(() => resolve()));
});

test("[S] a redirect is checked like the address it came from", async () => {
  const targets = {
    "/metadata": "http://169.254.169.254/latest/meta-data/",
    "/mapped": "http://[::ffff:127.0.0.1]/",
    "/decimal": "http://2130706434/",
    "/file": "file:///etc/passwd",
    "/user": "http://me:pw@127.0.0.1/",
  } as Record<string, string>;
  await using server = await webServer((request, response) => {
    response.writeHead(302, { location: targets[request.url ?? ""] ?? "" }).end();
  });
  const codes: Record<string, string | undefined> = {};
  for (const path of Object.keys(targets))
    codes[path] = (await fetched(server.origin + path)).error?.code;
  assert.deepEqual(codes, {
    "/metadata": "address_refused",
    "/mapped": "address_refused",
    "/decimal": "address_refused",
    "/file": "bad_redirect",
    "/user": "credentials_in_url",
  });
});

test("[S] redirects on the same host are followed, to another one they are told", async () => {
  await using other = await webServer((_, response) => response.end("other"));
  await using server = await webServer((request, response) => {
    const step = Number(request.url?.slice(1));
    if (step === 0) return void response.end("arrived");
    const location = step === 99 ? `${other.origin}/there` : `/${step - 1}`;
    response.writeHead(307, { location }).end();
  });
  const near = await fetched(`${server.origin}/5`);
  assert.equal(near.output?.head, "arrived");
  assert.equal((near.result as { url: string }).url, `${server.origin}/0`);
  assert.equal((await fetched(`${server.origin}/6`)).error?.code, "too_many_redirects");
  const far = await fetched(`${server.origin}/99`);
  assert.equal(far.ok, true);
  assert.equal((far.result as { redirect: string }).redirect, `${other.origin}/there`);
  assert.match(far.output?.head ?? "", /redirects to another host/);
  assert.equal(other.requests.length, 0, "permission was for the first host only");
});

test("[B1, S] a page of any size is cut at the limit, and a bomb is no larger inside", async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000, 97));
  await using server = await webServer((request, response) => {
    response.setHeader("content-type", "text/plain");
    if (request.url === "/bomb") {
      response.setHeader("content-encoding", "gzip");
      return void response.end(bomb);
    }
    const more = () => {
      while (response.write(Buffer.alloc(65_536, 98)));
    };
    response.on("drain", more);
    more(); // for ever
  });
  const before = process.memoryUsage.rss();
  for (const path of ["/bomb", "/endless"]) {
    const { ok, result, output } = await fetched(server.origin + path, LOCAL, {
      max_bytes: 100_000,
    });
    assert.ok(ok);
    assert.equal((result as { truncated: boolean }).truncated, true);
    assert.deepEqual([output?.bytes, output?.truncated], [100_000, true]);
    assert.match(output?.sha256 ?? "", /^[0-9a-f]{64}$/);
  }
  assert.ok(process.memoryUsage.rss() - before < 64 * 1_048_576);
});

test("[S] what is no text is named, and an error page is read", async () => {
  await using server = await webServer((request, response) => {
    if (request.url === "/png")
      response.setHeader("content-type", "image/png").end(Buffer.alloc(5_000));
    else response.writeHead(404, { "content-type": "text/plain" }).end("gone fishing");
  });
  const image = await fetched(`${server.origin}/png`);
  assert.equal(image.output?.head, "Not text: image/png, 5000 bytes.");
  const missing = await fetched(`${server.origin}/no`);
  assert.deepEqual([missing.ok, missing.error?.code], [false, "http_status"]);
  assert.equal(missing.output?.head, "gone fishing");
});

test("[S] a body that never ends its drip is given up; a dead host is a result", async () => {
  await using server = await webServer((_, response) => {
    response.write("a");
    const drip = setInterval(() => response.write("a"), 20);
    response.on("close", () => clearInterval(drip));
  });
  const slow = await fetched(server.origin, { ...LOCAL, totalMs: 300 });
  assert.equal(slow.error?.code, "timeout");
  const gone = await webServer(() => undefined);
  await gone[Symbol.asyncDispose]();
  assert.equal((await fetched(gone.origin)).error?.code, "not_connected");
  const lookup = () => Promise.reject(new Error("ENOTFOUND"));
  const unknown = await fetched("http://no.such.test/", { allowPrivateHosts: [], lookup });
  assert.equal(unknown.error?.code, "host_not_found");
});

test("[X7] aborting closes the connection", async () => {
  await using server = await webServer((_, response) => void response.write("a"));
  await using run = await toolRun();
  const stop = new AbortController();
  const call = run.call(createWebFetch(LOCAL), { url: server.origin }, stop.signal);
  const [request] = await until(() => (server.requests.length > 0 ? server.requests : undefined));
  const { socket } = request ?? assert.fail();
  const closed = new Promise((resolve) => socket.once("close", resolve)); // by a reset, too
  stop.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await closed;
});

test("[S] its permission is asked for by address", () => {
  const tool = createWebFetch(LOCAL);
  const url = "https://example.com/a?b";
  assert.deepEqual(tool.access?.({ url }), [{ kind: "network", url }]);
  assert.deepEqual(
    [tool.risk, tool.replay, tool.label({ url })],
    ["network", "safe", `Fetch ${url}`],
  );
});
