// The way out of a browser we start: nothing private is reached, whatever asks for it and however it is spelled.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect, createServer, type AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { webServer } from "../../../../test/support/servers/web-server.ts";
import type { AddressPolicy } from "../../../kernel/run/web/resolve-host.ts";
import { guardProxy } from "./guard-proxy.ts";

async function guarded(policy: AddressPolicy) {
  const refused: string[] = [];
  const proxy = await guardProxy({ ...policy, refused: (host) => void refused.push(host) });
  const { port } = new URL(proxy.url);
  return {
    refused,
    /** The body of an answer, or null when the connection ends without one. */
    get: async (url: string, headers: Record<string, string> = {}): Promise<string | null> => {
      const asked = request({ host: "127.0.0.1", port, path: url, headers, agent: false });
      asked.end();
      const answer = await once(asked, "response").catch(() => null);
      return answer && Buffer.concat(await (answer[0] as Readable).toArray()).toString();
    },
    /** What comes through a tunnel, or null when there is none. */
    tunnel: async (target: string, said: string): Promise<string | null> => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
      const first = await Promise.race([once(socket, "data"), once(socket, "close")]);
      const head = String(first[0]);
      if (!head.startsWith("HTTP/1.1 200 ")) return null;
      socket.write(said);
      const [answer] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      return answer.toString();
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

test("[BR4] plain requests and tunnels reach no private address, however it is spelled", async () => {
  await using web = await webServer((_, response) => response.end("secret"));
  await using guard = await guarded({ allowPrivateHosts: [] });
  const hosts = ["127.0.0.1", "localhost", "2130706433", "0177.1", "[::ffff:127.0.0.1]", "[::1]"];
  for (const host of hosts) {
    assert.equal(await guard.get(`http://${host}:${web.port}/`), null, host);
    assert.equal(await guard.tunnel(`${host}:${web.port}`, "GET / HTTP/1.0\r\n\r\n"), null, host);
  }
  for (const host of ["169.254.169.254", "10.0.0.1", "192.168.1.1"]) {
    assert.equal(await guard.get(`http://${host}/latest/meta-data`), null, host);
  }
  assert.equal(web.requests.length, 0);
  assert.equal(guard.refused.length, hosts.length * 2 + 3, "each was told");
});

test("[BR4] what a person allowed is reached, and the page sees no trace of the proxy", async () => {
  await using web = await webServer((request_, response) => response.end(`hello ${request_.url}`));
  await using guard = await guarded({ allowPrivateHosts: ["127.0.0.1"] });
  const headers = { "proxy-connection": "keep-alive", host: `127.0.0.1:${web.port}` };
  assert.equal(await guard.get(`http://127.0.0.1:${web.port}/a?b`, headers), "hello /a?b");
  assert.equal(web.requests[0]?.headers["proxy-connection"], undefined);
  assert.equal(web.requests[0]?.headers.host, `127.0.0.1:${web.port}`);
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
  await once(echo, "listening");
  const { port } = echo.address() as AddressInfo;
  assert.equal(await guard.tunnel(`127.0.0.1:${port}`, "hello"), "hello");
  echo.close();
  assert.deepEqual(guard.refused, []);
});

test("[BR4] a name that resolves elsewhere later, or also privately, gets nowhere", async () => {
  await using web = await webServer((_, response) => response.end("secret"));
  let asked = 0;
  const lookup = async (name: string) => {
    asked += 1;
    const inside = { address: "127.0.0.1", family: 4 };
    return name === "both.test" ? [{ address: "93.184.215.14", family: 4 }, inside] : [inside];
  };
  await using guard = await guarded({ allowPrivateHosts: [], lookup });
  for (const name of ["rebind.test", "both.test"]) {
    assert.equal(await guard.get(`http://${name}:${web.port}/`), null);
    assert.equal(await guard.tunnel(`${name}:${web.port}`, "x"), null);
  }
  assert.deepEqual([asked, web.requests.length], [4, 0]);
});

test("[BR4] a server that answers nonsense costs its own connection only", async () => {
  const answers = ["HTTP/1.1 000 x\r\n\r\n", "HTTP/1.1 200 ok\r\na\0b: c\r\n\r\n", "hello", ""];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answers.shift() ?? ""));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await using guard = await guarded({ allowPrivateHosts: ["127.0.0.1"] });
  while (answers.length > 0) assert.equal(await guard.get(`http://127.0.0.1:${port}/`), null);
  server.close();
  await using web = await webServer((_, response) => response.end("here"));
  assert.equal(await guard.get(`http://127.0.0.1:${web.port}/`), "here");
});

test("[BR4] what is no address of the web ends the connection, and the guard lives on", async () => {
  await using web = await webServer((_, response) => response.end("here"));
  await using guard = await guarded({ allowPrivateHosts: ["127.0.0.1"] });
  for (const url of ["/relative", "file:///etc/passwd", "https://127.0.0.1/", "ftp://x/"]) {
    assert.equal(await guard.get(url), null, url);
  }
  for (const target of ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", ":", "a b:80"]) {
    assert.equal(await guard.tunnel(target, "x"), null, target);
  }
  assert.equal(await guard.get(`http://127.0.0.1:${web.port}/`), "here");
});
