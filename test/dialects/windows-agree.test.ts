// Different windows on one session, compared with each other by way of the native folds: the same
// answers, the same words, and at every moment the same things waiting for a person.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutRepeats, type Steps } from "../../src/kernel/dialect/append-only.ts";
import { encode } from "../../src/kernel/dialect/dialect.ts";
import type { RunEvent } from "../../src/kernel/events/events.ts";
import { applyEvent, emptyRun } from "../../src/kernel/state/run/state.ts";
import { applySessionEvent, emptySession } from "../../src/kernel/state/session/session-state.ts";
import {
  readRecordings,
  rootRuns,
  type AnyEvent,
} from "../support/recordings/session-recordings.ts";
import { LIVE, emit, TELLERS, windowsOn, type Teller } from "../support/recordings/emitted.ts";
import { CLIENTS, nothingBelieved, type Believed } from "../support/windows/window-clients.ts";

const recordings = readRecordings();
const withClient = TELLERS.filter(({ name }) => Object.hasOwn(CLIENTS, name));

/** Of the runs a person started, and that had something to say in the end. */
function nativeAnswers(events: readonly AnyEvent[]): [runId: string, answer: string][] {
  return rootRuns(events).flatMap((runId) => {
    const own = events.filter(({ run_id }) => run_id === runId) as RunEvent[];
    const { status, result } = own.reduce(applyEvent, emptyRun(runId));
    return status === "completed" && result !== null ? [[runId, result]] : [];
  });
}

/** `gap`: between the words of two messages of a run, where a window's clients join them all. */
function nativeWords(events: readonly AnyEvent[], gap: string): string {
  const roots = new Set(rootRuns(events));
  const steps: Steps = {};
  let last: string | undefined;
  return events
    .flatMap((event) => withoutRepeats(event, steps) ?? []) // W20
    .filter(({ type, run_id }) => type === "token.delta" && roots.has(run_id))
    .map(({ payload }) => {
      const { delta, message_id } = payload as { delta: string; message_id: string };
      const isNext = last !== undefined && last !== message_id;
      last = message_id;
      return isNext ? gap + delta : delta;
    })
    .join("");
}

function believe(teller: Teller, events: readonly AnyEvent[]): Believed {
  const believed = nothingBelieved();
  for (const emitted of emit(teller, events)) CLIENTS[teller.name]?.(believed, emitted);
  return believed;
}

for (const teller of withClient.filter(({ name }) => name !== "hud")) {
  test(`[W1] ${teller.name}: every run's answer is the one the journal has`, () => {
    for (const { name, events } of recordings) {
      const answers = new Map(
        windowsOn(teller, events).flatMap((shown) => [...believe(teller, shown).answers]),
      );
      for (const [runId, answer] of nativeAnswers(events)) {
        const emitted = answers.get(runId);
        assert.ok(emitted !== undefined, `${name}: ${runId} was answered`);
        // A stream of chunks has all of a run's words in one message.
        if (teller.name === "chat-completions")
          assert.ok(emitted.endsWith(answer), `${name}: ${emitted}`);
        else assert.equal(emitted, answer, name);
      }
    }
  });
}

const STREAMING = ["console", "daemon", "webui", "v1-runs", "responses"];

for (const teller of withClient.filter(({ name }) => STREAMING.includes(name))) {
  test(`[W1] ${teller.name}: every word is told once, in order, and no word of a subagent`, () => {
    for (const { name, events } of recordings) {
      for (const shown of windowsOn(teller, events)) {
        const gap = teller.name === "v1-runs" ? "\n\n" : "";
        assert.equal(believe(teller, shown).words, nativeWords(shown, gap), name);
      }
    }
  });
}

const ASKING = ["console", "hud", "daemon", "webui", "v1-runs"];

for (const teller of withClient.filter(({ name }) => ASKING.includes(name))) {
  test(`[W4, W5] ${teller.name}: at every event exactly that waits which waits in the journal`, () => {
    for (const { name, events } of recordings) {
      for (const shown of windowsOn(teller, events)) {
        assertSameWaiting(teller, events, new Set(shown), name);
      }
    }
  });
}

/** `shown`: what this window is given. What the others do counts for the journal all the same. */
function assertSameWaiting(
  teller: Teller,
  events: readonly AnyEvent[],
  shown: ReadonlySet<AnyEvent>,
  name: string,
): void {
  const believed = nothingBelieved();
  const state = teller.begin();
  const runs = new Set([...shown].map(({ run_id }) => run_id));
  const stopping = new Set<string>(); // an answer would come too late: it may be shown or not
  let session = emptySession(events[0]?.session_id ?? "");
  for (const event of events) {
    session = applySessionEvent(session, event as RunEvent);
    if (event.type === "status" && isStopping(event)) stopping.add(event.run_id);
    if (!shown.has(event)) continue;
    for (const frame of encode(teller, event, state, LIVE)) {
      CLIENTS[teller.name]?.(believed, { event, frame });
    }
    const waiting = Object.values(session.pending).filter(({ runId }) => runs.has(runId));
    const must = waiting.filter(({ runId }) => !stopping.has(runId));
    const where = `${name}, event ${event.session_seq} (${event.type})`;
    const ids = (requests: typeof waiting) => requests.map(({ requestId }) => requestId);
    for (const id of ids(must)) assert.ok(believed.pending.has(id), `${where}: ${id} is hidden`);
    for (const id of believed.pending.keys()) {
      assert.ok(ids(waiting).includes(id), `${where}: ${id} is still shown`);
    }
  }
}

const isStopping = ({ payload }: AnyEvent) =>
  (payload as { status?: string }).status === "cancelling";

const REQUESTS = ["approval.requested", "clarify.requested", "tool.outcome_unknown"];
/** One turn at a time: what is asked meanwhile is told when it is its turn. */
const IN_TURN = new Set(["terminal"]);
/** Only that something changed; the page then asks what. */
const HINTS = new Set(["webui-session"]);

for (const teller of TELLERS) {
  test(`[W4] ${teller.name}: whatever asks, also in a subagent, is told at once and can be answered`, () => {
    for (const { name, events } of recordings) {
      for (const shown of windowsOn(teller, events)) {
        const emitted = Map.groupBy(emit(teller, shown), ({ event }) => event);
        let waiting = 0;
        for (const event of shown) {
          if (/^(approval|clarify)\.resolved$/.test(event.type)) waiting -= 1;
          if (!REQUESTS.includes(event.type)) continue;
          waiting += 1;
          if (IN_TURN.has(teller.name) && waiting > 1) continue;
          const text = JSON.stringify(emitted.get(event)?.map(({ frame }) => frame) ?? []);
          const request = event.payload as Readonly<Record<string, string>>;
          const id = request["approval_id"] ?? request["clarify_id"] ?? request["request_id"] ?? "";
          const words = request["prompt"] ?? request["question"] ?? request["message"] ?? "";
          const where = `${name}, event ${event.session_seq}: ${text}`;
          assert.ok(text.includes(id) || text.includes(words) || HINTS.has(teller.name), where);
          assert.ok(text.length > 2, where);
        }
      }
    }
  });
}
