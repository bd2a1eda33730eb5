// E22 to E25: the parameters of the events that the document defines, and what they mean in their session.
import assert from "node:assert/strict";
import { paramsOf, storiesOf, type Story } from "./stories.ts";
import type { Envelope, Fields, World } from "../hud/world.ts";
import type { Row } from "../suite.ts";

type Step = (story: Story, params: Fields) => void;

/** A row about the exact parameters of an event that the document defines, and what they mean in their session. */
function exactly(
  id: string,
  method: string,
  types: Fields,
  { extra = [], deps }: { readonly extra?: readonly string[]; readonly deps: Step },
): Row<World> {
  const names = extra.map((name) => `\`${name}\``).join(", ");
  return {
    id,
    says: `\`${method}\` has ${Object.keys(types).join(", ")}.`,
    ...(extra.length > 0 && { difference: `One optional field more: ${names}.` }),
    check: async (world) => {
      const stories = await storiesOf(world);
      assert.ok(stories.some(({ emitted }) => paramsOf(emitted, method).length > 0));
      for (const story of stories) {
        for (const params of paramsOf(story.emitted, method)) {
          for (const [name, type] of Object.entries(types)) {
            assert.equal(typeof params[name], type, name);
            assert.notEqual(params[name], "", name);
          }
          const beside = Object.keys(params).filter((name) => !Object.hasOwn(types, name));
          assert.deepEqual(
            beside.filter((name) => !extra.includes(name)),
            [],
          );
          const { timestamp } = params;
          if (typeof timestamp === "string") {
            assert.equal(new Date(timestamp).toISOString(), timestamp);
          }
          deps(story, params);
        }
      }
    },
  };
}

/** Turns are numbered from 1 on; their ids are their own. */
function isNumbered({ emitted }: Story, { requestId, turnNumber }: Fields): void {
  const started = paramsOf(emitted, "stream.turn_started");
  const ids = started.map((params) => params["requestId"]);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.indexOf(requestId) + 1, turnNumber);
}

/** How long it took, and how many calls were made in it. */
function isEnd(story: Story, params: Fields): void {
  isNumbered(story, params);
  const { requestId, timestamp, durationMs, toolCount } = params;
  const methods = story.emitted.map(({ event }) => event);
  const isOf = (event: Envelope["event"]) => event.params["requestId"] === requestId;
  const [first, last] = [methods.findIndex(isOf), methods.findLastIndex(isOf)];
  const begun = Date.parse(String(methods[first]?.params["timestamp"]));
  assert.equal(Date.parse(String(timestamp)) - begun, durationMs);
  const within = methods.slice(first, last);
  const calls = within.filter(({ method }) => method === "stream.tool_use" || method === ENDED);
  assert.equal(new Set(calls.map(({ params: { id } }) => id)).size, toolCount);
}
const ENDED = "stream.tool_completed";

const string = "string";
const number = "number";

export const PARAM_ROWS: readonly Row<World>[] = [
  exactly(
    "E22",
    "stream.turn_started",
    { sessionId: string, requestId: string, turnNumber: number, timestamp: string },
    { deps: isNumbered },
  ),
  exactly(
    "E23",
    "stream.turn_completed",
    {
      sessionId: string,
      requestId: string,
      turnNumber: number,
      durationMs: number,
      toolCount: number,
      timestamp: string,
    },
    { extra: ["stopReason"], deps: isEnd },
  ),
  exactly(
    "E24",
    "stream.session_started",
    { sessionId: string, model: string, timestamp: string },
    {
      extra: ["projectPath"],
      deps: ({ emitted }, { sessionId }) => assert.equal(sessionId, emitted[0]?.sessionId),
    },
  ),
  exactly(
    "E25",
    "stream.plan_step_fallback",
    {
      sessionId: string,
      planId: string,
      stepId: string,
      stepIndex: number,
      fallbackApproach: string,
      attempt: number,
    },
    {
      deps: ({ emitted }, { sessionId, stepId, planId, stepIndex }) => {
        assert.equal(sessionId, emitted[0]?.sessionId);
        const begun = paramsOf(emitted, "stream.plan_step_started");
        const tried = begun.find((params) => params["stepId"] === stepId);
        assert.deepEqual([tried?.["planId"], tried?.["stepIndex"]], [planId, stepIndex]);
      },
    },
  ),
];
