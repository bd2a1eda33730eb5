// A window's link to a real terminal over connections that are cut at random: every byte once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocket as NodeSocket } from "ws";
import { BEARER, terminalPlace } from "../../../../test/support/windows/pty-place.ts";
import { seeded } from "../../../../test/support/random.ts";
import { until } from "../../../../test/support/until.ts";
import { terminalInput, openTerminalLink } from "./link.ts";

type Place = Awaited<ReturnType<typeof terminalPlace>>;
const random = seeded();

/** `cuts`: so many connections end in the middle of something, each after at most `most` messages. */
function linked(place: Place, id: string, { name = "w", cuts = 0, most = 6 } = {}) {
  const heard = { parts: [] as Buffer[], bytes: 0, dropped: 0, cuts: 0, exit: -1, gone: "" };
  const connect = (offset: number) => {
    const query = `offset=${offset}&window=${name}`;
    const socket = new NodeSocket(place.socketUrl(id, query), { headers: BEARER });
    if (heard.cuts < cuts) {
      let left = 1 + random.below(most);
      socket.on("message", () => {
        left -= 1;
        if (left !== 0) return;
        heard.cuts += 1;
        socket.terminate();
      });
    }
    return socket as unknown as WebSocket;
  };
  const link = openTerminalLink({
    connect,
    random: () => 0,
    onOutput: (bytes, shown) => {
      heard.parts.push(Buffer.from(bytes));
      heard.bytes += bytes.length;
      shown();
    },
    onDropped: (count) => (heard.dropped += count),
    onCaughtUp: () => undefined,
    onSize: () => undefined,
    onState: () => undefined,
    onExit: ({ exit_code }) => (heard.exit = exit_code ?? -2),
    onGone: (gone) => (heard.gone = gone.why === "closed" ? gone.reason : gone.code),
    onRefused: (message) => assert.fail(message),
  });
  const text = () => Buffer.concat(heard.parts).toString();
  return {
    heard,
    link,
    text,
    until: (words: string) => until(() => text().includes(words), words),
    [Symbol.dispose]: () => link.close(), // or it would go on asking for ever
  };
}

test(`[PT2, V1] cut anywhere, a window has every byte once (SEED=${random.seed})`, async () => {
  await using place = await terminalPlace();
  const { terminal_id } = await place.open();
  using windows = new DisposableStack();
  const whole = windows.use(linked(place, terminal_id, { name: "whole" }));
  const cut = [1, 2, 3, 4].map((n) =>
    windows.use(linked(place, terminal_id, { name: `cut-${n}`, cuts: 6 })),
  );
  await until(() => whole.heard.bytes > 0);
  const print = "for i in $(seq 1 60); do head -c 9000 /dev/urandom | base64; sleep 0.02; done";
  whole.link.type(`${print}; echo end-$((1+1)); exit 5\r`);
  for (const { heard } of [whole, ...cut]) await until(() => heard.exit === 5, "the exit");
  assert.ok(whole.heard.bytes > 700_000);
  for (const one of cut) {
    assert.ok(one.heard.cuts > 2, "it was really cut");
    assert.equal(one.heard.dropped, 0);
    assert.equal(one.text(), whole.text());
  }
});

test(`[PT3b, X1] what is typed over cut connections is typed once and in order (SEED=${random.seed})`, async () => {
  await using place = await terminalPlace();
  const { terminal_id } = await place.open();
  using watching = linked(place, terminal_id, { name: "watching" });
  watching.link.type("stty -echo; echo on-$((1+1)); cat > typed; wc -c typed; md5sum < typed\r");
  await watching.until("on-2");
  using typing = linked(place, terminal_id, { name: "typing", cuts: 6, most: 3 });
  const lines = Array.from({ length: 900 }, (_, line) => `line ${line} ${"x".repeat(80)}\r`);
  for (const line of lines) typing.link.type(line);
  typing.link.type("\u0004");
  const { createHash } = await import("node:crypto");
  const wanted = lines.join("").replaceAll("\r", "\n");
  await watching.until(`${wanted.length} typed`);
  await watching.until(createHash("md5").update(wanted).digest("hex"));
  assert.ok(typing.heard.cuts > 3, `${typing.heard.cuts} cuts`);
});

test("[PT5] a link to a terminal that is not there, or is closed, says so and asks no more", async () => {
  await using place = await terminalPlace();
  using nobody = linked(place, "term_nobody");
  assert.equal(await until(() => nobody.heard.gone), "not_found");
  const { terminal_id } = await place.open();
  using one = linked(place, terminal_id);
  await until(() => one.heard.bytes > 0);
  await place.call(`/api/terminals/${terminal_id}/close`, {});
  assert.equal(await until(() => one.heard.gone), "person");
});

test("[PT3] a piece of input never ends in half a character", () => {
  const sent: string[] = [];
  const input = terminalInput((n, data) => {
    sent.push(data);
    queueMicrotask(() => input.taken(n));
  });
  input.attached(0);
  input.type("🙂".repeat(10_000) + "x" + "🙂".repeat(10_000));
  return until(() => sent.join("").length === 40_001).then(() => {
    assert.ok(sent.every((piece) => piece.isWellFormed() && piece.length <= 8_192));
  });
});
