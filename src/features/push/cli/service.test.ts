import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { createPushService, keysInHome } from "./service.ts";

const NOTE = { title: "Needs you", body: "approve", url: "/approve/1", tag: "s" };

async function home() {
  const path = await mkdtemp(join(tmpdir(), "quarterdeck-push-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** A push service on this machine that answers with `status`. */
async function pushServer(status: number) {
  const received: { headers: IncomingMessage["headers"]; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const subscriber = createECDH("prime256v1");
  return {
    received,
    subscription: {
      endpoint: `http://127.0.0.1:${port}/send/1`,
      p256dh: subscriber.generateKeys("base64url"),
      auth: randomBytes(16).toString("base64url"),
      label: "",
      created_at: 0,
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

test("[N3] a notification is encrypted for its browser and signed by this server", async () => {
  await using place = await home();
  await using office = await pushServer(201);
  const push = createPushService(keysInHome(place.path), ["127.0.0.1"]);
  assert.deepEqual(await push.send(office.subscription, NOTE), { ok: true });
  const [request] = office.received;
  assert.equal(request?.headers["content-encoding"], "aes128gcm");
  assert.match(request?.headers.authorization ?? "", /^vapid t=.+, k=/);
  assert.ok(request && !request.body.includes("approve"), "the words are readable on the way");
  assert.equal((await stat(join(place.path, "push-keys.json"))).mode & 0o777, 0o600);
});

test("[N1] a push service that says gone, or fails, is told apart", async () => {
  await using place = await home();
  await using gone = await pushServer(410);
  await using failing = await pushServer(500);
  const push = createPushService(keysInHome(place.path), ["127.0.0.1"]);
  const first = await push.send(gone.subscription, NOTE);
  const second = await push.send(failing.subscription, NOTE);
  assert.deepEqual([first.ok, !first.ok && first.gone], [false, true]);
  assert.deepEqual([second.ok, !second.ok && second.gone], [false, false]);
});

test("[S] addresses of this machine and its networks are never sent to", async () => {
  await using place = await home();
  await using office = await pushServer(201);
  const push = createPushService(keysInHome(place.path), []);
  const { endpoint } = office.subscription;
  for (const bad of [endpoint, endpoint.replace("http:", "https:"), "https://169.254.169.254/x"]) {
    await assert.rejects(push.check(bad), { code: "invalid_request" }, bad);
    const sent = await push.send({ ...office.subscription, endpoint: bad }, NOTE);
    assert.equal(sent.ok, false);
  }
  assert.equal(office.received.length, 0);
});

test("[N3a] the keys are made once, also by two processes at once", async () => {
  await using place = await home();
  const services = [1, 2, 3].map(() => createPushService(keysInHome(place.path), []));
  const keys = await Promise.all(services.map((service) => service.publicKey()));
  assert.equal(new Set(keys).size, 1);
  const kept = JSON.parse(await readFile(join(place.path, "push-keys.json"), "utf8")) as object;
  assert.ok(Object.values(kept).includes(keys[0]));
});
