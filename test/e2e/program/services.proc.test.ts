// What keeps it running and what stands in front of it: units, a proxy with another name, and what doctor says of both.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { openServer } from "../../support/pair.ts";

test("[A1] a unit is written, shown and removed, and doctor knows it", async () => {
  using place = newTestHome();
  const where = ["--home", place.home, "--workspace", place.workspace];
  const printed = await quarterdeck(["service", "print", "--systemd", ...where]);
  assert.match(printed.stdout, /ExecStart=.*"--home" "/);
  const folder = join(place.workspace, "units");
  const at = ["--directory", folder, "--systemd", ...where];
  const written = await quarterdeck(["service", "install", ...at]);
  assert.match(written.stdout, /systemctl --user daemon-reload/);
  assert.equal(readFileSync(join(folder, "quarterdeck.service"), "utf8"), printed.stdout);
  assert.equal((await quarterdeck(["service", "uninstall", ...at])).code, 0);
  assert.equal((await quarterdeck(["service", "uninstall", ...at])).code, 3);
  assert.equal((await quarterdeck(["service", "what", ...at])).code, 2);
  const plist = await quarterdeck(["service", "print", "--launchd", ...where]);
  assert.match(plist.stdout, /<key>KeepAlive<\/key><true\/>/);
  const looked = await quarterdeck(["doctor", "--port", "0", ...where]);
  assert.match(looked.stdout, /service: /);
});

type Target = { url: string };

/** Passes everything on, under its own name; sockets only where asked to. */
async function startProxy(target: Target, { sockets }: { sockets: boolean }) {
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    const { hostname: host, port } = new URL(target.url);
    asked.pipe(
      request({ host, port, method, path: url, headers }, (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      }),
    );
  });
  server.on("upgrade", ({ url, headers }, socket) => {
    if (!sockets) return void socket.end("HTTP/1.1 426 Upgrade Required\r\n\r\n");
    const { hostname, port } = new URL(target.url);
    const there = connect(Number(port), hostname, () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
      there.write(`GET ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      there.pipe(socket).pipe(there);
    });
    there.on("error", () => socket.destroy());
    socket.on("error", () => there.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("[A1] behind a proxy the public address is ours: logins, cookies, sockets; doctor finds what a proxy forgets", async () => {
  using place = newTestHome();
  const target = { url: "" };
  await using proxy = await startProxy(target, { sockets: true });
  await using deaf = await startProxy(target, { sockets: false });
  const doctor = async (...args: string[]) =>
    (await quarterdeck(["doctor", "--home", place.home, "--port", "0", ...args])).stdout;
  {
    await using server = await openServer(place);
    target.url = server.url;
    assert.match(await doctor("--url", proxy.url), /PROBLEM +proxy: /);
  }
  const path = join(place.home, "config.json");
  const known = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...known, public_url: proxy.url }));
  await using server = await openServer(place);
  target.url = server.url;
  assert.match(await doctor(), /ok +proxy: .* lets requests and sockets through/);
  assert.match(await doctor("--url", "nonsense"), /PROBLEM +proxy: nonsense is no address/);

  const link = (await quarterdeck(["token", "--link", "--home", place.home])).stdout.trim();
  assert.ok(link.startsWith(`${proxy.url}/#login=`), link);
  const origin = proxy.url;
  const body = JSON.stringify({ code: link.split("=")[1] });
  const headers = { "content-type": "application/json", origin };
  const login = await fetch(`${proxy.url}/api/auth/login`, { method: "POST", headers, body });
  const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { data } = (await login.json()) as { data: { csrf: string } };
  const logged = { origin, cookie, "x-quarterdeck-csrf": data.csrf };
  const asked = await fetch(`${proxy.url}/api/status`, { headers: logged });
  assert.equal(asked.status, 200);
  const evil = { ...logged, origin: "http://127.0.0.1:1" };
  assert.equal((await fetch(`${proxy.url}/api/status`, { headers: evil })).status, 403);

  writeFileSync(path, JSON.stringify({ ...known, public_url: deaf.url }));
  await using again = await openServer(place);
  target.url = again.url;
  assert.match(await doctor(), /PROBLEM +proxy: .* lets no WebSocket through \(status 426\)/);
});
