// Recordings of the real program, done again by the program as it is now.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecordings } from "../../../../test/support/recordings/session-recordings.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { checkCassette } from "./check.ts";
import { CASSETTE_TOOLS } from "./recorded-tools.ts";

const recordings = new Map(
  readRecordings().map(({ name, events }) => [name, events as readonly RunEvent[]]),
);
const recorded = (name: string) => {
  const events = recordings.get(name);
  assert.ok(events, name);
  return events;
};

/** Why some cannot be done again; every other must tell the same. */
const CANNOT: Readonly<Record<string, RegExp>> = {
  budget: /stopped by a person/,
  cancel: /stopped by a person/,
  "cancelled-subagent": /stopped by a person/,
  compaction: /run of its own/,
  crash: /runner was lost/,
  files: /run of its own/,
  goal: /standing goal/,
  "outcome-unknown": /runner was lost|outcome of a call/,
  queue: /while it was going on|waited behind/,
  rewind: /undone/,
  "subagent-questions": /runner was lost|outcome of a call/,
};

test("[Y7] every recorded session is told the same by the runner of today, or it is said why not", async () => {
  const same = await Promise.all(
    [...recordings].map(async ([name, events]) => {
      const { status, message, compared } = await checkCassette(events);
      const why = CANNOT[name];
      if (why) {
        assert.equal(status, "unsupported", name);
        assert.match(message, why, name);
        return 0;
      }
      assert.equal(status, "same", `${name}: ${message}`);
      assert.ok(compared > 5, name);
      return 1;
    }),
  );
  assert.ok(same.filter(Boolean).length >= 14, "most of them can be done again");
});

test("[Y7] a change of the program is found, and the first difference is told", async () => {
  const changed = CASSETTE_TOOLS.map((tool) =>
    tool.name === "read" ? { ...tool, label: () => "Reads something" } : tool,
  );
  const { status, message } = await checkCassette(recorded("subagents"), changed);
  assert.equal(status, "drifted");
  assert.match(
    message,
    /differs at its event \d+:\n- tool\.intent .*a\.txt.*\n\+ tool\.intent .*Reads something/,
  );
});

test("[Y7] a gate that asks less, or more, is found", async () => {
  const careless = CASSETTE_TOOLS.map((tool) =>
    tool.name === "exec" ? { ...tool, access: () => [] } : tool,
  );
  const less = await checkCassette(recorded("approval"), careless);
  assert.equal(less.status, "drifted");
  assert.match(less.message, /- approval\.requested/);
});

type Change = (event: RunEvent) => RunEvent;
const replaced = (events: readonly RunEvent[], change: Change) => events.map(change);

test("[Y7] what the recording says otherwise is found: an answer, a result, a missing turn", async () => {
  const answer = replaced(recorded("thinking"), (event) =>
    event.type === "done" ? { ...event, payload: { ...event.payload, result: "Else." } } : event,
  );
  assert.match((await checkCassette(answer)).message, /- done .*Else\./);
  const events = recorded("thinking");
  const last = events.findLastIndex(({ type }) => type === "turn.started");
  const end = events.findLastIndex(({ type }) => type === "turn.completed");
  const missing = await checkCassette([...events.slice(0, last), ...events.slice(end + 1)]);
  assert.equal(missing.status, "drifted");
});

test("[Y7c] what was redacted cannot be done again", async () => {
  const events = replaced(
    recorded("text"),
    (event) => ({ ...event, redacted: true }) as unknown as RunEvent,
  );
  const { status, message } = await checkCassette(events);
  assert.deepEqual([status, /policy full/.test(message)], ["unsupported", true]);
});
