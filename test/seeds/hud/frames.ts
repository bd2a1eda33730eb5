// H1 to H19: what every frame of the HUD has, and how starts and ends belong together.
import assert from "node:assert/strict";
import type { Fields, HudFrame, World } from "./world.ts";
import type { Row } from "../suite.ts";

export const everyFrame = ({
  live,
  asked,
  stopped,
  again,
  recorded,
}: World): readonly HudFrame[] => [
  ...live,
  ...asked,
  ...stopped,
  ...again,
  ...Object.values(recorded).flat(),
];
export const of = (frames: readonly HudFrame[], event: string, more: Fields = {}) =>
  frames.filter(
    (frame) =>
      frame.event === event && Object.entries(more).every(([name, value]) => frame[name] === value),
  );
const isUuid = (value: unknown) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(value));
const KINDS = ["tool_start", "tool_end", "think_start", "think_end", "turn_start", "turn_end"];

/** Each start with the end of the same correlationId, of one connection. */
export function pairs(frames: readonly HudFrame[], type: "turn" | "tool" | "think") {
  return of(frames, `${type}_start`).map((start) => {
    const [end] = of(frames, `${type}_end`, { correlationId: start["correlationId"] });
    assert.ok(end, `${type} ${String(start["correlationId"])} has no end`);
    return { start, end };
  });
}

function assertFields(frame: HudFrame | undefined, types: Readonly<Record<string, string>>): void {
  assert.ok(frame);
  for (const [name, type] of Object.entries(types)) assert.equal(typeof frame[name], type, name);
}
const BASE = { type: "string", id: "string", correlationId: "string", ts: "number" };

export const FRAME_ROWS: readonly Row<World>[] = [
  {
    id: "H1",
    says: 'Every HUD event is a WebSocket message with `type: "hud"`.',
    check: (world) => assert.ok(everyFrame(world).every(({ type }) => type === "hud")),
  },
  {
    id: "H2",
    says: "There are seven kinds of events: tool, think and turn with `_start` and `_end`, and `received`.",
    check: (world) => {
      const seen = new Set(everyFrame(world).map(({ event }) => event));
      assert.deepEqual([...seen].toSorted(), [...KINDS, "received"].toSorted());
    },
  },
  {
    id: "H3",
    says: "`id` is always a random UUID, globally unique.",
    difference:
      "`id` is a UUID that is made of the stored event (version 8), so that an event has the same id in every replay and a client can drop what it has. Only `reconnect`, which is about one connection, has a random one.",
    check: ({ live, again, asked, stopped }) => {
      const ids = [...live, ...asked, ...stopped].map(({ id }) => id);
      assert.ok(ids.every(isUuid));
      assert.equal(new Set(ids).size, ids.length);
      const emitted = (frames: readonly HudFrame[]) => frames.slice(1).map(({ id }) => id);
      assert.deepEqual(emitted(again), emitted(live));
      assert.notEqual(again[0]?.id, live[0]?.id);
    },
  },
  {
    id: "H4",
    says: "The `correlationId` of a tool is the provider's call id (`call_*`).",
    difference:
      "It is `call_<run>.<call>`, the same in start and end: providers use their own ids again in every answer, and two calls with one id would be paired wrongly.",
    check: ({ live }) => {
      const ids = pairs(live, "tool").map(({ start }) => String(start["correlationId"]));
      assert.ok(ids.length > 10 && ids.every((id) => id.startsWith("call_run_")));
      assert.equal(new Set(ids).size, ids.length);
    },
  },
  {
    id: "H5",
    says: "The `correlationId` of a turn is the turn's id, in its start and its end.",
    check: ({ live }) => {
      const [message] = of(live, "received", { subtype: "message" });
      const [turn] = pairs(live, "turn");
      assert.equal(
        turn?.start["correlationId"],
        (message?.["payload"] as Fields | undefined)?.["run_id"],
      );
    },
  },
  {
    id: "H6",
    says: "The `correlationId` of a thought is a UUID that is made at its start and used again at its end.",
    check: ({ recorded }) => {
      const thoughts = pairs(recorded.thinking, "think");
      assert.equal(thoughts.length, 2);
      assert.ok(thoughts.every(({ start }) => isUuid(start["correlationId"])));
    },
  },
  {
    id: "H7",
    says: "The `parentId` of tools and thoughts is the `correlationId` of the turn that contains them.",
    check: ({ recorded: { thinking } }) => {
      const [turn] = of(thinking, "turn_start");
      const inner = thinking.filter(({ event }) => /^(tool|think)_/.test(event));
      assert.ok(
        inner.length === 6 && inner.every((each) => each["parentId"] === turn?.["correlationId"]),
      );
    },
  },
  {
    id: "H8",
    says: "`parentId` names a turn.",
    difference:
      "A subagent's turn is contained in the call that started it, and its `parentId` is that call's `correlationId`: a client that looks up turns only shows it at the root.",
    check: ({ recorded: { subagents } }) => {
      const calls = new Set(of(subagents, "tool_start").map((each) => each["correlationId"]));
      const turns = of(subagents, "turn_start").filter((each) => each["parentId"] !== undefined);
      assert.ok(turns.length === 3 && turns.every((each) => calls.has(each["parentId"])));
    },
  },
  {
    id: "H9",
    says: "`ts` is the time in Unix milliseconds.",
    check: (world) => {
      const whole = ({ ts }: HudFrame) => Number.isInteger(ts) && ts > 1_600_000_000_000;
      assert.ok(everyFrame(world).every(whole));
    },
  },
  {
    id: "H10",
    says: "`replay` is true on what comes from history, and absent on what happens.",
    check: ({ live, asked, again }) => {
      assert.ok(asked.every((frame) => !("replay" in frame)));
      assert.ok(again.slice(1).every(({ replay }) => replay === true));
      const flags = live.slice(1).map(({ replay }) => replay);
      assert.deepEqual(
        flags,
        flags.toSorted((a, b) => Number(b ?? 0) - Number(a ?? 0)),
      );
      assert.ok(flags.includes(true) && flags.includes(undefined));
    },
  },
  {
    id: "H11",
    says: "`turn_start` has type, event, id, correlationId and ts.",
    check: ({ live }) => assertFields(of(live, "turn_start")[0], BASE),
  },
  {
    id: "H12",
    says: "`turn_end` has these and `durationMs`.",
    check: ({ live }) => assertFields(of(live, "turn_end")[0], { ...BASE, durationMs: "number" }),
  },
  {
    id: "H13",
    says: "`think_start` has a `parentId` beside the fields of a turn's start.",
    check: ({ recorded: { thinking } }) =>
      assertFields(of(thinking, "think_start")[0], { ...BASE, parentId: "string" }),
  },
  {
    id: "H14",
    says: "`think_end` has these and `durationMs`.",
    check: ({ recorded: { thinking } }) =>
      assertFields(of(thinking, "think_end")[0], {
        ...BASE,
        parentId: "string",
        durationMs: "number",
      }),
  },
  {
    id: "H15",
    says: "`tool_start` has the tool and its arguments.",
    check: ({ live }) => {
      const shape = { ...BASE, parentId: "string", tool: "string", args: "object" };
      for (const start of of(live, "tool_start")) assertFields(start, shape);
    },
  },
  {
    id: "H16",
    says: "`tool_end` has the tool, its result and `durationMs`.",
    check: ({ live }) => {
      const ends = { tool: "string", result: "object", durationMs: "number" };
      for (const end of of(live, "tool_end")) assertFields(end, { ...BASE, ...ends });
    },
  },
  {
    id: "H17",
    says: "Events come as `_start` and `_end` pairs; `durationMs` is the time between them.",
    check: (world) => {
      const connections = [
        world.live,
        world.asked,
        world.stopped,
        ...Object.values(world.recorded),
      ];
      for (const frames of connections) {
        for (const type of ["turn", "tool", "think"] as const) {
          for (const { start, end } of pairs(frames, type)) {
            assert.equal(end["durationMs"], end.ts - start.ts);
          }
        }
      }
    },
  },
  {
    id: "H18",
    says: "Arguments and results are objects, not truncated strings.",
    check: (world) => {
      const isObject = (value: unknown) =>
        typeof value === "object" && value !== null && !Array.isArray(value);
      const frames = everyFrame(world);
      assert.ok(of(frames, "tool_start").every(({ args }) => isObject(args)));
      assert.ok(of(frames, "tool_end").every(({ result }) => isObject(result)));
      const refused = of(world.live, "tool_start").slice(-3, -1);
      assert.deepEqual(
        refused.map(({ args }) => args),
        [{ path: "a.txt", offset: "x" }, { deep: { n: 1 } }],
        "also of calls that were refused",
      );
    },
  },
  {
    id: "H19",
    says: "Arguments are complete.",
    difference:
      "Up to 16 KiB. Longer ones are cut, and say so: `argsTruncated`, and `argsFull` with their size and an address of the event that has them whole.",
    check: async ({ live, program }) => {
      const [cut, ...more] = of(live, "tool_start", { argsTruncated: true });
      assert.deepEqual(more, []);
      assert.ok(cut);
      const { bytes, href } = cut["argsFull"] as { bytes: number; href: string };
      assert.ok(bytes > 40_000 && JSON.stringify(cut["args"]).length < 20_000);
      const headers = { authorization: `Bearer ${program.token}` };
      const whole = await (await fetch(program.url + href, { headers })).text();
      const [, data = ""] = /^data: (.*tool\.intent.*)$/m.exec(whole) ?? [];
      const { payload } = JSON.parse(data) as { payload: { plan: { arguments: Fields } } };
      assert.equal(String(payload.plan.arguments["content"]).length, 40_000);
    },
  },
];
