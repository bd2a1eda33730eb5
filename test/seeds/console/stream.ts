// C161–C170: the stream and its envelope.
import assert from "node:assert/strict";
import { call, readEvents, type Frame } from "../../support/http.ts";
import { SESSION } from "./acts.ts";
import { at, isKind, refused, type ConsoleRow } from "./checks.ts";
import type { ConsoleFrame, Seen } from "./world.ts";

const events = (seen: readonly Seen[]) => seen.filter(({ frame }) => frame.type !== "ping");

const TRANSPORT: readonly ConsoleRow[] = [
  {
    id: "C161",
    says: "GET /stream/session/{id} sends a session's events over SSE, in order.",
    check({ kept }) {
      const lines = events(kept.live).map(({ line }) => Number(line));
      assert.ok(lines.length > 50);
      assert.deepEqual(
        lines,
        lines.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(lines).size, lines.length, "each once");
    },
  },
  {
    id: "C162",
    says: "`run_id` of the stream leaves the other runs out.",
    async check({ kept, stream, get }) {
      const query = `${SESSION}?history=1&run_id=${kept.runId}`;
      const { seen } = await stream(query, { until: ({ type }) => type === "run.completed" });
      const runs = new Set(events(seen).map(({ frame }) => frame.run_id));
      assert.deepEqual([...runs], [kept.runId]);
      refused(await get(`/stream/session/${SESSION}?run_id=run_none`), 404, "not_found");
    },
  },
  {
    id: "C163",
    says: "`history=1` replays what was sent before.",
    async check({ kept, old }) {
      assert.equal(kept.replay[0]?.frame.type, "session.created");
      assert.deepEqual(kept.replay, events(kept.live), "the same as it was live, all of it");
      const list = await call(old, "GET", "/api/gui/sessions?limit=1");
      const path = `/api/gui/stream/session/${String(at(list.body, "data.sessions.0.session_id"))}`;
      const first = async (query: string) => {
        const isFirst = ({ data }: Frame) => !data.includes('"ping"') || query === "";
        const { frames } = await readEvents(old, `${path}${query}`, { until: isFirst });
        return at(JSON.parse(frames.at(-1)?.data ?? "{}"), "type");
      };
      assert.equal(await first("?history=1"), "session.created");
      assert.equal(await first(""), "ping", "without it, what happens from then on");
    },
  },
  {
    id: "C164",
    says: "A stream that breaks goes on where it was.",
    async check({ kept, stream, get }) {
      const last = kept.replay.at(-1)?.frame.id;
      const lines = kept.replay.map(({ line }) => Number(line));
      const from = lines.findIndex((line, index) => index >= 20 && lines[index + 1] === line + 1);
      const place = kept.replay[from];
      const rest = kept.replay.slice(from + 1);
      for (const after of [place?.line ?? "", place?.frame.id ?? ""]) {
        const { seen } = await stream(SESSION, { after, until: ({ id }) => id === last });
        assert.deepEqual(events(seen), rest, "by the number of the line or the frame's own id");
      }
      const beyond = await stream(SESSION, { after: "999999", until: ({ id }) => id === last });
      assert.equal(events(beyond.seen).length, kept.replay.length, "from the start");
      refused(await get(`/stream/session/${SESSION}?last_event_id=%3F%3F`), 409, "cursor_invalid");
    },
  },
];

function envelope(
  id: string,
  name: keyof ConsoleFrame,
  deps: string,
  each: (frame: ConsoleFrame) => void,
) {
  const row: ConsoleRow = {
    id,
    says: `Every event has \`${name}\`: ${deps}.`,
    check: ({ kept }) => kept.live.forEach(({ frame }) => each(frame)),
  };
  return row;
}

const ENVELOPE: readonly ConsoleRow[] = [
  {
    id: "C165",
    says: "Every event has `id`: its own.",
    check({ kept }) {
      const ids = kept.live.map(({ frame }) => frame.id);
      for (const id of ids) isKind(id, "text", "id");
      assert.equal(new Set(ids).size, ids.length);
    },
  },
  envelope("C166", "type", "what happened", ({ type }) => assert.match(type, /^[a-z_.]+$/)),
  envelope("C167", "session_id", "its session", (frame) => assert.equal(frame.session_id, SESSION)),
  envelope("C168", "ts", "when, in ISO 8601 with milliseconds", ({ ts }) =>
    assert.match(ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  ),
  envelope("C169", "payload", "an object", ({ payload }) => isKind(payload, "object", "payload")),
  {
    id: "C170",
    says: "Every event has `run_id`: its run.",
    difference:
      "It is null for what belongs to no run (`session.created`, `ping`), as the real client's type of it allows.",
    check({ kept }) {
      for (const { type, run_id } of kept.live.map(({ frame }) => frame)) {
        if (type === "ping" || type.startsWith("session.")) assert.equal(run_id, null, type);
        else assert.ok(run_id?.startsWith(kept.runId), type);
      }
    },
  },
];

export const CONSOLE_STREAM: readonly ConsoleRow[] = [...TRANSPORT, ...ENVELOPE];
