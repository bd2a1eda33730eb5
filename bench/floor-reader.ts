// The floor's second process: wakes on a byte, SELECTs what is new, writes one buffer to everyone.
import { createServer as createHttp, type ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

const [path = "", socket = ""] = process.argv.slice(2);
const db = new DatabaseSync(path);
const select = db.prepare(
  "SELECT seq, body FROM events WHERE log_key = 1 AND seq > ? ORDER BY seq LIMIT 200",
);
select.setReturnArrays(true);
const clients = new Set<ServerResponse>();
let head = 0;

function pump(): void {
  const rows = select.all(head) as unknown as [number, string][];
  if (rows.length === 0) return;
  head = rows.at(-1)?.[0] ?? head;
  const chunk = Buffer.from(rows.map(([seq, body]) => `id: r:${seq}\ndata: ${body}\n\n`).join(""));
  for (const client of clients) client.write(chunk);
}

createServer((peer) => peer.on("data", pump)).listen(socket);
const server = createHttp((request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  if (request.url === "/replay") {
    replay(response).catch(() => response.destroy());
    return;
  }
  clients.add(response);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(0));

async function replay(response: ServerResponse): Promise<void> {
  for (let after = 0; ;) {
    const rows = select.all(after) as unknown as [number, string][];
    const last = rows.at(-1);
    if (!last) break;
    after = last[0];
    const chunk = Buffer.from(
      rows.map(([seq, body]) => `id: r:${seq}\ndata: ${body}\n\n`).join(""),
    );
    if (!response.write(chunk))
      await new Promise<void>((resolve) => response.once("drain", resolve));
  }
  response.end();
}
