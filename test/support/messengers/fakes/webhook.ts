// The other side of a webhook: records messages by id, checks signatures with its own code, and signs.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const WEBHOOK_SECRET = "a-webhook-secret-of-at-least-32-characters";
export type Emitted = {
  type: string;
  id: string;
  channel_id: string;
  text: string;
  buttons: { data: string; label: string }[];
};

const now = () => Math.floor(Date.now() / 1_000);

export function sign(body: string, id: string, timestamp = now(), name = "default") {
  const hmac = createHmac("sha256", WEBHOOK_SECRET).update(`${name}.${timestamp}.${id}.${body}`);
  return {
    "x-quarterdeck-id": id,
    "x-quarterdeck-timestamp": String(timestamp),
    "x-quarterdeck-signature": `v2=${hmac.digest("hex")}`,
  };
}

export async function fakeWebhook() {
  const emitted = new Map<string, Emitted>();
  let requests = 0;
  let failures = 0;
  const wrong: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString("utf8");
      requests += 1;
      const id = String(request.headers["x-quarterdeck-id"]);
      const expected = sign(body, id, Number(request.headers["x-quarterdeck-timestamp"]));
      if (expected["x-quarterdeck-signature"] !== request.headers["x-quarterdeck-signature"])
        wrong.push(id);
      if (failures > 0) {
        failures -= 1;
        response.writeHead(503).end();
        return;
      }
      emitted.set(id, JSON.parse(body) as Emitted);
      response.writeHead(204).end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/replies`,
    emitted: () => [...emitted.values()],
    wrong,
    requests: () => requests,
    fail(times: number) {
      failures = times;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
