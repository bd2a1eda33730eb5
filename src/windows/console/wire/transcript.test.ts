// Times of a call in the console's transcript and timeline.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal } from "../../../../test/support/events.ts";
import { applyEvent, emptyRun } from "../../../kernel/state/run/state.ts";
import { timelineOf, transcriptOf } from "./transcript.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";

test("[W6] a call starts when it was allowed, not when it was planned, and its result is of its end", () => {
  const events = seal("r1", [
    d.queued,
    d.started(),
    d.turnStarted(1),
    d.intent("c1"),
    d.approvalAsked("c1"),
    d.approvalGiven("c1", "once"),
    d.toolStarted("c1"),
    d.toolDone("c1"),
    d.intent("c2"),
  ]);
  const run = events.reduce(applyEvent, emptyRun("r1"));
  const at = (type: string) => events.find((event) => event.type === type)?.created_at ?? 0;
  const [call, planned] = timelineOf(run);
  assert.equal(call?.started_at, isoTime(at("tool.started")));
  assert.equal(call?.completed_at, isoTime(at("tool.done")));
  const result = transcriptOf(run).find(({ type }) => type === "tool_result");
  assert.equal(result?.created_at, isoTime(at("tool.done")));
  assert.equal(planned?.completed_at, null);
});

test("[W6] a preview is an object, also of calls that failed, were denied or stopped, and of long results", () => {
  const events = seal("r1", [
    d.queued,
    d.started(),
    d.turnStarted(1),
    ...["failed", "denied", "cancelled"].flatMap((status, at) => [
      d.intent(`c${at}`),
      d.toolDone(`c${at}`, status as "failed"),
    ]),
    d.intent("c9"),
  ]);
  const previews = timelineOf(events.reduce(applyEvent, emptyRun("r1"))).map(
    ({ result_preview }) => result_preview,
  );
  assert.deepEqual(
    previews.map((preview) => preview?.["status"]),
    ["failed", "denied", "cancelled", undefined],
  );
  assert.equal(previews.at(-1), null, "it has not ended");
});

test("[W20] an answer that was cut stands in the transcript only until it is said again", () => {
  const cut = [d.queued, d.started(), d.turnStarted(1), d.token("m1.1", "Half"), d.superseded(1)];
  const again = [...cut, d.turnStarted(1, 2)];
  const said = [...again, d.token("m1.2", "Half of it"), d.said("m1.2", "Half of it")];
  const shown = (drafts: Parameters<typeof seal>[1]) =>
    transcriptOf(seal("r1", drafts).reduce(applyEvent, emptyRun("r1"))).map((item) => item.content);
  assert.deepEqual([cut, again, said].map(shown), [["Half"], ["Half"], ["Half of it"]]);
});
