// A person's terminals over HTTP and WebSocket: real shells in their hosts, real sockets.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { WebSocket } from "ws";
import {
  BEARER,
  terminalPlace,
  terminalWindow,
} from "../../../../test/support/windows/pty-place.ts";
import { until } from "../../../../test/support/until.ts";
import { TerminalsView, TerminalView } from "../records.ts";
import { NO_TERMINALS } from "./hosts.ts";
import { openTerminals } from "./terminals.ts";

type Refused = { readonly code: string; readonly details: Record<string, unknown> };
/** What it was given from there on. */
function bytesFrom({ frames }: Awaited<ReturnType<typeof terminalWindow>>, place: number): number {
  const parts = frames.filter((frame) => frame.type === "output" && frame.offset >= place);
  return parts.reduce((sum, frame) => sum + (frame.type === "output" ? frame.bytes : 0), 0);
}
const codeOf = ({ error }: { error: unknown }) => (error as Refused | undefined)?.code;

test("[PT1, H7] terminals are opened, listed and closed; what cannot be is refused with a known code", async () => {
  await using place = await terminalPlace();
  const { call } = place;
  const at = "/api/sessions/s1/terminals";
  const none = await call(at);
  assert.deepEqual(TerminalsView.parse(none.data).terminals, []);
  for (const body of [
    { cols: 1 },
    { rows: 0 },
    { cols: 5_000 },
    { cols: "80" },
    { shell: "x" },
    [],
  ]) {
    assert.equal(codeOf(await call(at, body)), "invalid_request", JSON.stringify(body));
  }
  assert.equal(codeOf(await call("/api/sessions/none/terminals")), "session_not_found");
  assert.equal(codeOf(await call("/api/sessions/none/terminals", {})), "session_not_found");
  assert.equal(codeOf(await call("/api/sessions/far/terminals", {})), "volume_unreachable");
  assert.equal(codeOf(await call("/api/sessions/home/terminals", {})), "forbidden");
  assert.equal((await call(at, {}, {})).status, 401);
  assert.equal((await call(at, {}, { ...BEARER, origin: "http://evil.example" })).status, 403);
  assert.deepEqual(place.notes, []);

  const made = TerminalView.parse(await place.open());
  assert.deepEqual([made.session_id, made.workspace, made.exit], ["s1", place.workspace, null]);
  const listed = TerminalsView.parse((await call(at)).data);
  assert.deepEqual(listed.terminals, [made]);
  assert.equal(codeOf(await call("/api/terminals/nobody/close", {})), "not_found");
  const closed = await call(`/api/terminals/${made.terminal_id}/close`, {});
  assert.deepEqual(closed.data, { terminal_id: made.terminal_id, closed: true });
  assert.equal(codeOf(await call(`/api/terminals/${made.terminal_id}/close`, {})), "not_found");
  assert.deepEqual(
    place.notes.map(({ what, session_id, reason }) => [what, session_id, reason]),
    [
      ["opened", "s1", null],
      ["closed", "s1", "person"],
    ],
  );
  assert.deepEqual(place.errors, []);
});

test("[PT1b] a server holds eight; one that has ended and that nobody looks at makes room", async () => {
  await using place = await terminalPlace();
  const all = await Promise.all(Array.from({ length: 8 }, () => place.open()));
  const refused = await place.call("/api/sessions/s1/terminals", {});
  assert.equal(codeOf(refused), "rate_limited");
  const [first] = all;
  assert.ok(first);
  const window = await terminalWindow(place.socketUrl(first.terminal_id));
  window.say({ type: "input", n: 1, data: "exit 3\r" });
  const { exit } = await window.emitted("exit");
  assert.deepEqual(exit, { exit_code: 3, signal: null, limit: null, lost: false });
  assert.equal(codeOf(await place.call("/api/sessions/s1/terminals", {})), "rate_limited");
  window.ws.close();
  await until(async () => (await place.open())?.terminal_id, "room");
});

test("[PT1e] where there can be no terminals that is said, and nothing breaks", async () => {
  await using place = await terminalPlace(NO_TERMINALS);
  const { data } = await place.call("/api/sessions/s1/terminals");
  const { available, why_not } = TerminalsView.parse(data);
  assert.deepEqual([available, typeof why_not], [false, "string"]);
  const refused = await place.call("/api/sessions/s1/terminals", {});
  assert.equal(codeOf(refused), "unavailable");
  assert.equal((refused.error as Refused).details["reason"], "no_pty");
});

test("[PT1c] one that nobody looks at any more is closed after a while", async () => {
  await using place = await terminalPlace();
  const { terminalHosts } = await import("../host/start-host.ts");
  const reasons: (string | null)[] = [];
  const terminals = openTerminals({
    hosts: terminalHosts({ home: place.workspace, sandbox: "auto" }),
    note: async (_what, { reason }) => void reasons.push(reason),
    logError: assert.ifError,
    now: () => 0,
    idleMs: 20,
  });
  await terminals.open({ sessionId: "s1", workspace: "/usr", cols: 80, rows: 24 });
  await until(() => reasons.length === 2, "it to be closed");
  assert.deepEqual(reasons, [null, "idle"]);
  assert.deepEqual((await terminals.list("s1")).terminals, []);
  await terminals.end();
});

test("[PT1, U3] one that the audit does not know is not opened; closing waits for nothing", async () => {
  await using place = await terminalPlace();
  const { terminalHosts } = await import("../host/start-host.ts");
  const logged: unknown[] = [];
  let refuse = "opened";
  const terminals = openTerminals({
    hosts: terminalHosts({ home: place.workspace, sandbox: "auto" }),
    note: async (what) => {
      if (what === refuse) throw new Error("the journal is away");
    },
    logError: (error) => void logged.push(error),
    now: () => 0,
  });
  const asked = { sessionId: "s1", workspace: "/usr", cols: 80, rows: 24 };
  await assert.rejects(terminals.open(asked), /the journal is away/);
  assert.deepEqual((await terminals.list("s1")).terminals, []);
  refuse = "closed";
  const { id } = await terminals.open(asked);
  await terminals.close(id);
  assert.equal(terminals.find(id), undefined);
  assert.equal(logged.length, 1);
  await terminals.end();
});

test("[PT2, A1, A2] who may not come in is refused before the handshake", async () => {
  await using place = await terminalPlace();
  const { terminal_id } = await place.open();
  const status = async (headers: Record<string, string>) => {
    const ws = new WebSocket(place.socketUrl(terminal_id), { headers });
    ws.on("error", () => undefined);
    const [, { statusCode }] = (await once(ws, "unexpected-response")) as [
      unknown,
      { statusCode: number },
    ];
    return statusCode;
  };
  assert.equal(await status({}), 401);
  assert.equal(await status({ authorization: "Bearer wrong" }), 401);
  assert.equal(await status({ cookie: "qd_session=x" }), 401);
  assert.equal(await status({ ...BEARER, origin: "http://evil.example" }), 403);
});

test("[PT2, B2] what cannot be shown or understood is said, and hurts nobody", async () => {
  await using place = await terminalPlace();
  const { terminal_id } = await place.open();
  for (const [id, query, code] of [
    ["nobody", undefined, "not_found"],
    [terminal_id, "offset=-1&window=w", "invalid_request"],
    [terminal_id, "offset=0", "invalid_request"],
    [terminal_id, "offset=0&window=a/b", "invalid_request"],
    [terminal_id, "offset=99999999&window=w", "cursor_invalid"],
  ] as const) {
    const window = await terminalWindow(place.socketUrl(id, query));
    assert.equal(await window.closed(), 4404);
    const { code: emitted, fatal } = await window.emitted("refused");
    assert.deepEqual([emitted, fatal], [code, true], query);
  }
  const window = await terminalWindow(place.socketUrl(terminal_id));
  const huge = "x".repeat(16_385);
  for (const [frame, code] of [
    ["{", "invalid_json"],
    [{ type: "input", n: 1, data: huge }, "invalid_request"],
    [{ type: "input", n: 0, data: "x" }, "invalid_request"],
    [{ type: "resize", cols: 0, rows: 0 }, "invalid_request"],
    [{ type: "resize", cols: 1e9, rows: 2 }, "invalid_request"],
    [{ type: "ack", offset: "1" }, "invalid_request"],
    [{ type: "kill" }, "invalid_request"],
  ] as const) {
    const before = window.frames.length;
    window.say(frame);
    await until(() => window.frames.slice(before).some(({ type }) => type === "refused"));
    const emitted = window.find("refused");
    assert.deepEqual(
      [emitted?.code, emitted?.fatal],
      [code, false],
      JSON.stringify(frame).slice(0, 60),
    );
  }
  window.say({ type: "input", n: 1, data: "echo fine-$((1+1))\r" });
  await window.until("fine-2");
  assert.deepEqual(place.errors, []);
});

test("[PT3a, PT3b] all windows see the same bytes; an input is taken once; the last that resized decides", async () => {
  await using place = await terminalPlace();
  const { terminal_id } = await place.open();
  const a = await terminalWindow(place.socketUrl(terminal_id, "offset=0&window=a"));
  const b = await terminalWindow(place.socketUrl(terminal_id, "offset=0&window=b"));
  a.say({ type: "resize", cols: 90, rows: 33 });
  await until(() => a.find("size")?.by === "a"); // on two sockets either could be the last
  b.say({ type: "resize", cols: 70, rows: 22 });
  await until(() => a.find("size")?.by === "b");
  for (let again = 0; again < 3; again += 1)
    a.say({ type: "input", n: 1, data: "echo n-$((2+2)); stty size\r" });
  await a.until("22 70");
  a.say({ type: "input", n: 2, data: "echo end-$((3+3))\r" });
  await Promise.all([a.until("end-6"), b.until("end-6")]);
  assert.equal(a.heard.text.split("n-4").length, 2, "ran once");
  await until(() => a.heard.bytes === b.heard.bytes);
  assert.equal(a.heard.text, b.heard.text);
  assert.equal(a.find("taken")?.n, 2);
  a.ws.terminate();
  const again = await terminalWindow(place.socketUrl(terminal_id, "offset=0&window=a"));
  const { taken, cols, rows, by } = await again.emitted("attached");
  assert.deepEqual({ taken, cols, rows, by }, { taken: 2, cols: 70, rows: 22, by: "b" });
});

test("[PT4, V3] a window that says nothing gets only so much, holds up nobody, and finds a gap", async () => {
  await using place = await terminalPlace();
  const { terminal_id } = await place.open();
  const slow = await terminalWindow(place.socketUrl(terminal_id, "offset=0&window=slow"), {
    acks: false,
  });
  const quick = await terminalWindow(place.socketUrl(terminal_id, "offset=0&window=quick"));
  quick.say({ type: "input", n: 1, data: "stty -echo; seq -w 1 400000; echo last-$((1+1))\r" });
  await quick.until("last-2");
  assert.ok(quick.heard.bytes > 3_200_000);
  assert.equal(quick.find("dropped"), undefined, "one window sees everything");
  assert.ok(slow.heard.bytes <= 262_144 + 65_536, `${slow.heard.bytes}`);
  slow.say({ type: "ack", offset: slow.heard.bytes });
  const { from, to } = await slow.emitted("dropped");
  assert.equal(from, slow.heard.bytes - bytesFrom(slow, to), "exactly what it had not got");
  assert.ok(to > from);
});

test("[PT5] a server that ends says so and ends what runs in its terminals", async () => {
  const place = await terminalPlace();
  const { terminal_id } = await place.open();
  const window = await terminalWindow(place.socketUrl(terminal_id));
  window.say({ type: "input", n: 1, data: "echo up-$((1+1)); sleep 613\r" });
  await window.until("up-2");
  await place[Symbol.asyncDispose]();
  assert.equal((await window.emitted("closed")).reason, "server");
  assert.deepEqual(place.notes.map(({ what, reason }) => [what, reason]).at(-1), [
    "closed",
    "server",
  ]);
});
