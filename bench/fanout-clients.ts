// A thousand readers in a separate process, on raw sockets. They do as little work as a reader can, so that the server is
// what is measured. Every event carries the time at which it was appended.
import { connect, type Socket } from "node:net";

const [address = "", path = "", token = "", count = "1", upgrade = ""] = process.argv.slice(2);
const [host = "", port = ""] = address.split(":");
const STAMP = Buffer.from('"delta":"t='); // some windows say the same words under two names
const latencies: number[] = [];
const sockets: Socket[] = [];
let delivered = 0;

const lines = [
  `GET ${path} HTTP/1.1`,
  `Host: ${address}`,
  `Authorization: Bearer ${token}`,
  ...(upgrade
    ? [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${"A".repeat(22)}==`,
      ]
    : ["Accept: text/event-stream"]),
];

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), host);
    socket.setNoDelay(true);
    socket.on("error", reject);
    socket.once("connect", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    socket.once("data", () => resolve());
    socket.on("data", read);
    sockets.push(socket);
  });
}

function read(chunk: Buffer): void {
  const now = process.hrtime.bigint();
  const length = STAMP.byteLength;
  for (let at = chunk.indexOf(STAMP); at >= 0; at = chunk.indexOf(STAMP, at + length)) {
    delivered += 1;
    const sent = BigInt(
      /^\d+/.exec(chunk.toString("latin1", at + length, at + length + 22))?.[0] ?? "0",
    );
    if (delivered % 17 === 0 && sent > 0n) latencies.push(Number(now - sent) / 1e6);
  }
}

for (let opened = 0; opened < Number(count); opened += 50) {
  await Promise.all(Array.from({ length: Math.min(50, Number(count) - opened) }, open));
}
process.send?.("open");
process.on("message", () => {
  process.send?.({ delivered, latencies });
  for (const socket of sockets) socket.destroy();
});
process.on("disconnect", () => process.exit(0));
