// A large reply to a slow reader: in fragments, at its pace, and nothing of another message in between.
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { packMessages, type Socket } from "../../kernel/server/feed/sockets.ts";
import { toSubscriber } from "../../kernel/server/feed/subscriber.ts";
import { daemonMember } from "./daemon.ts";

const PING = Buffer.from([0x89, 0x00]);

function slowSocket() {
  const raw = new PassThrough({ highWaterMark: 1_024 });
  const closed: number[] = [];
  const socket: Socket = {
    subscriber: toSubscriber(raw, 60_000),
    send: () => assert.fail("replies go another way"),
    close: (code) => void closed.push(code),
    reached: async () => true,
    gone: new AbortController().signal,
    proven: () => undefined,
  };
  return { raw, socket, closed };
}

/** By the calls (RFC 6455): control frames may stand between fragments, other messages may not. */
function messagesIn(bytes: Buffer): { texts: string[]; pings: number } {
  const texts: string[] = [];
  let [pings, at] = [0, 0];
  let open: Buffer[] | undefined;
  while (at < bytes.byteLength) {
    const first = bytes[at] ?? 0;
    const short = bytes[at + 1] ?? 0;
    const length =
      short === 126
        ? bytes.readUInt16BE(at + 2)
        : short === 127
          ? Number(bytes.readBigUInt64BE(at + 2))
          : short;
    at += short === 126 ? 4 : short === 127 ? 10 : 2;
    const payload = bytes.subarray(at, at + length);
    at += length;
    const opcode = first & 0x0f;
    if (opcode === 9) {
      pings += 1;
      continue;
    }
    assert.equal(opcode, open ? 0 : 1, "a continuation, or a new text");
    open = [...(open ?? []), payload];
    if ((first & 0x80) === 0) continue;
    texts.push(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(open)));
    open = undefined;
  }
  assert.equal(open, undefined);
  return { texts, pings };
}

async function bytesOf(raw: PassThrough): Promise<Buffer> {
  const chunks: Buffer[] = [];
  raw.on("data", (chunk: Buffer) => void chunks.push(chunk));
  raw.end();
  await new Promise((resolve) => raw.once("end", resolve));
  return Buffer.concat(chunks);
}

test("[V3, W1] what happens while a large reply goes out comes after it, whole", async () => {
  for (const large of [
    "x".repeat(200_000),
    "🚀".repeat(90_001),
    `a${"🚀".repeat(90_001)}`,
    "",
    "é",
  ]) {
    const { raw, socket } = slowSocket();
    const member = daemonMember(socket);
    member.write(packMessages(["before"]));
    const replied = member.reply(large);
    member.write(packMessages(["one", "two"]));
    raw.write(PING); // as ws does, whenever it likes
    member.write(packMessages(["three"]));
    const chunks: Buffer[] = [];
    raw.on("data", (chunk: Buffer) => void chunks.push(chunk));
    await replied;
    member.write(packMessages(["after"]));
    raw.removeAllListeners("data");
    const { texts, pings } = messagesIn(Buffer.concat([...chunks, await bytesOf(raw)]));
    assert.deepEqual(texts, ["before", large, "one", "two", "three", "after"]);
    assert.equal(pings, 1);
  }
});

test("[V3] a reader that takes no reply and misses too much is told to come back", async () => {
  const { raw, socket, closed } = slowSocket();
  const member = daemonMember(socket);
  const replied = member.reply("x".repeat(200_000));
  const chunk = packMessages(["y".repeat(100_000)]);
  for (let count = 0; count < 15; count += 1) member.write(chunk);
  assert.deepEqual(closed, [1013]);
  raw.destroy();
  await replied;
});
