// R1–R15: the event envelope, and what it promises.
import assert from "node:assert/strict";
import { readEvents } from "../../support/http.ts";
import * as page from "../../support/windows/webui.ts";
import { has, row } from "./checks.ts";
import type { RunsRow, RunsWorld } from "./world.ts";

const envelope = (number: number, field: string, kind: string): RunsRow =>
  row(number, `Every replayable event has \`${field}\` (/api/runs/{id}/events).`, ({ full }) => {
    assert.ok(full.events.length > 30);
    for (const event of full.events) has(event, { [field]: kind });
  });

/** What a stream answers when it is asked to go on after `cursor`. */
async function rest({ server }: RunsWorld, path: string, headers: { after?: string } = {}) {
  const { frames, status } = await readEvents(server, path, headers);
  return { status, ids: frames.filter(({ data }) => data !== "").map(({ id }) => id) };
}

export const RUNS_ENVELOPE: readonly RunsRow[] = [
  envelope(1, "event_id", "text"),
  envelope(2, "seq", "number"),
  envelope(3, "run_id", "text"),
  envelope(4, "session_id", "text"),
  envelope(5, "type", "text"),
  row(6, "`created_at` is a time in unix seconds.", ({ full }) => {
    for (const { created_at } of full.events) {
      assert.ok(Math.abs(Number(created_at) - Date.now() / 1_000) < 3_600, String(created_at));
    }
  }),
  row(7, "`terminal` is true of exactly one event of a run, its last.", ({ full, failed }) => {
    for (const { events } of [full, failed]) {
      assert.deepEqual(
        events.filter(({ terminal }) => terminal).map(({ seq }) => seq),
        [events.length],
      );
    }
  }),
  envelope(8, "payload", "object"),
  row(
    9,
    "The runner boundary's JSON (`GET /v1/runs/{id}/events`) has the same envelope.",
    (world) => {
      const envelopeOf = { event_id: "text", seq: "number", run_id: "text", session_id: "text" };
      const more = { type: "text", created_at: "number", terminal: "flag", payload: "object" };
      for (const event of world.full.polled) has(event, { ...envelopeOf, ...more });
      const ends = world.full.polled.filter(({ terminal }) => terminal === true);
      assert.deepEqual(
        ends.map(({ event }) => event),
        ["done", "stream_end"],
        "the browser's two",
      );
    },
  ),
  row(10, "`seq` is monotonic per run.", ({ full, stoppedTool }) => {
    for (const { events } of [full, stoppedTool]) {
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
      );
    }
  }),
  row(11, "`event_id` is the SSE `id:`.", ({ full }) => {
    for (const [index, { id }] of full.frames.entries()) {
      assert.equal(id, full.events[index]?.event_id);
    }
  }),
  row(
    12,
    "An `event_id` is a stable cursor.",
    async (world) => {
      const { id, frames, browser } = world.full;
      const own = `/api/runs/${id}/events`;
      const foreign = browser[5]?.id ?? "";
      assert.match(foreign, /:0\d+$/);
      assert.equal(
        (await rest(world, own, { after: foreign })).status,
        409,
        "refused, not skipped",
      );
      const { emitted } = await page.watchChat(world.server, id, { after: frames[5]?.id });
      const seen = new Set(emitted.map((frame) => frame.id));
      const later = browser.filter(
        ({ seq }) => seq > Number(world.full.events[5]?.["session_seq"]),
      );
      for (const frame of later) assert.ok(seen.has(frame.id), `${frame.id} is not left out`);
    },
    "A run's own stream numbers the run's events; `/api/chat/stream` and `/v1/runs` also tell what subagents ask for and number by the session. Their ids begin their number with a zero (`run_123:042`), so the run's stream refuses them with `cursor_invalid`. An id of the run's stream used in one of those windows may repeat frames and never skips any.",
  ),
  row(13, "Reconnecting takes `Last-Event-ID` or `after_seq`.", async (world) => {
    const { id, frames, browser, v1 } = world.full;
    const ids = (list: readonly { id?: string | undefined }[], from: number) =>
      list.slice(from).map((frame) => frame.id);
    const native = `/api/runs/${id}/events`;
    const chat = `/api/chat/stream?stream_id=${id}`;
    const last = (list: readonly { id?: string | undefined }[]) => ({ after: list[9]?.id ?? "" });
    for (const [path, list, headers] of [
      [native, frames, last(frames)],
      [`${native}?after_seq=10`, frames, {}],
      [chat, browser, last(browser)],
      [`${chat}&after_seq=${browser[9]?.seq}`, browser, {}],
      [`${chat}&after_event_id=${browser[9]?.id}`, browser, {}],
      [`/v1/runs/${id}/events`, v1, last(v1)],
    ] as const) {
      assert.deepEqual((await rest(world, path, headers)).ids, ids(list, 10), path);
    }
  }),
  row(
    14,
    "Replay loses nothing: what came before a killed server and what came after are the whole.",
    ({ killed }) => {
      const { before, caught, run } = killed.survivor;
      const both = [...before, ...caught];
      assert.deepEqual(both, run.browser.slice(0, both.length));
      assert.ok(caught.length > 0);
    },
  ),
  row(
    15,
    "Terminal runs replay their end; a client that has seen it gets 204, because nothing follows.",
    async (world) => {
      const { full, failed, stoppedTool, killed } = world;
      const ends = [full, failed, stoppedTool, killed.expired].map(
        ({ browser }) => browser.at(-2)?.event,
      );
      assert.deepEqual(ends, ["done", "apperror", "cancel", "apperror"]);
      const after = full.browser.at(-1)?.id ?? "";
      const path = `/api/chat/stream?stream_id=${full.id}`;
      assert.equal((await rest(world, path, { after })).status, 204);
    },
  ),
];
