// Readers that do not read: they are let go, cost next to nothing, and slow nobody else down.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { after, test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { followRun } from "../../support/follow.ts";
import { readEvents, startRun, type Server } from "../../support/http.ts";
import {
  finish,
  reasoningChunk,
  startModelServer,
  textChunk,
  toolCallChunk,
} from "../../support/models/model-server.ts";
import { newTestHome, startProgram } from "../../support/program.ts";
import { until } from "../../support/until.ts";

// A model that thinks aloud: 24 MB of events in a run, and nothing of it in the next request.
const TURNS = 26;
const thought = Array.from({ length: 8 }, (_, at) => `${at} ${"thinking ".repeat(6_500)}`);
const model = await startModelServer((_, index) =>
  index % TURNS === TURNS - 1
    ? [textChunk("That was a lot."), finish("stop")]
    : [
        ...thought.map(reasoningChunk),
        toolCallChunk(0, `call-${index}`, "todo", '{"items":[]}'),
        finish("tool_calls"),
      ],
);
const place = newTestHome({ heartbeat_ms: 300 });
const program = await startProgram(place, {
  env: { QUARTERDECK_BASE_URL: model.baseUrl, QUARTERDECK_MODEL: "test/thinker" },
});
const { pid } = (await program.status()).serve ?? { pid: 0 };
after(async () => {
  await program[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

/** An event is told by its place and its hash; comparing megabytes prints megabytes. */
const hashOf = (event: unknown) => {
  const { event_id, hash } = event as { event_id: string; hash: string };
  return `${event_id} ${hash}`;
};
const residentMb = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
const port = Number(new URL(program.url).port).toString(16).toUpperCase().padStart(4, "0");
const HELD = / [0-9A-F]{8}:([0-9A-F]{4}) [0-9A-F]{8}:(?!0000)[0-9A-F]{4} (?:\S+ +){6}(?!0 )\d+ /gm;
/** Connections to the server that it has not closed. */
const sockets = () =>
  readFileSync("/proc/net/tcp", "utf8")
    .matchAll(HELD)
    .filter(([, local]) => local === port)
    .toArray().length;

/** Takes the first bytes of a stream and then nothing, until it is told to go on. */
async function stalledReader({ url, token }: Server, path: string) {
  const headers = { authorization: `Bearer ${token}` };
  const outgoing = request(`${url}${path}`, { headers, agent: false });
  outgoing.on("error", () => undefined);
  const response = await new Promise<IncomingMessage>((resolve) => {
    outgoing.once("response", resolve).end();
  });
  let text = "";
  let reading = false;
  response.setEncoding("utf8");
  response.on("error", () => undefined);
  response.on("data", (chunk: string) => {
    text += chunk;
    if (!reading) response.pause(); // at once: the kernel gives a reader that reads more and more room
  });
  await until(() => text !== "", "the first bytes");
  return {
    /** Reads what is left; the events that came whole. */
    async rest(): Promise<RunEvent[]> {
      const closed = new Promise((resolve) => response.once("close", resolve));
      reading = true;
      response.resume();
      await closed;
      const whole = text.slice(0, text.lastIndexOf("\n\n") + 2);
      return [...whole.matchAll(/^data: (\{"event_id".*)$/gm)].map(
        ([, data = ""]) => JSON.parse(data) as RunEvent,
      );
    },
    [Symbol.dispose]: () => void outgoing.destroy(),
  };
}

test("[V3, H4] a stalled reader is let go and comes back without a hole; the other gets everything", async () => {
  const { run_id } = await startRun(program, "think");
  const path = `/api/runs/${run_id}/events`;
  using stalled = await stalledReader(program, path);
  const before = residentMb();
  let most = 0;
  const other = await followRun(() => program, run_id, {
    onFrame: (_, seq) => {
      if (seq % 20 === 0) most = Math.max(most, residentMb());
    },
  });
  assert.equal(other.connections, 1, "the one that reads is never let go");
  const bytes = other.frames.reduce((sum, { data }) => sum + data.length, 0);
  assert.ok(bytes > 15 * 1_048_576, `${bytes} bytes are enough to fill every buffer`);

  const seen = await stalled.rest();
  const last = seen.at(-1);
  assert.ok(last && !last.terminal, "it was disconnected before the end");
  const rest = await readEvents(program, path, { after: last.event_id });
  const resumed = [...seen.map(hashOf), ...rest.frames.map(({ data }) => hashOf(JSON.parse(data)))];
  assert.deepEqual(resumed, other.events.map(hashOf), "no hole, no repeat");
  assert.ok(most - before < 150, `serve grew from ${before} to ${most} MB`);
});

test("[V3, V4] readers that stall in a replay are let go too, and cost little meanwhile", async () => {
  const { run_id } = await startRun(program, "think again");
  const { events } = await followRun(() => program, run_id);
  const path = `/api/runs/${run_id}/events`;
  const idle = sockets();
  const before = residentMb();
  const stalled = await Promise.all(Array.from({ length: 30 }, () => stalledReader(program, path)));
  assert.ok(sockets() >= idle + stalled.length);
  const whole = await readEvents(program, path);
  const most = residentMb();

  assert.equal(whole.frames.length, events.length);
  await until(() => sockets() <= idle, "the server to let them go");
  for (const reader of stalled) {
    const seen = await reader.rest();
    assert.ok(seen.length > 0 && !seen.at(-1)?.terminal);
  }
  // Thirty times the run would be 700 MB; what is seen here is mostly garbage of what was sent.
  assert.ok(most - before < 350, `serve grew from ${before} to ${most} MB for 30 readers`);
});
