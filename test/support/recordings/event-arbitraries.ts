// Arbitrary events, generated from the schemas: a new event or field is tested without a change here. Ids come from a
// small pool, so that events refer to each other; some are names of properties that every object has.
import fc from "fast-check";
import type { z } from "zod";
import { RunEvent, type Draft } from "../../../src/kernel/events/events.ts";
import type { AnyEvent } from "./session-recordings.ts";

/** Clients may use such ids for sessions and messages, and models for calls. */
const TRICKY = ["__proto__", "constructor", ""];
const SESSIONS = ["s1", "__proto__", "constructor"];
const RUNS = ["r1", "r2", "r1.t1.1.c0"];
const IDS = [...RUNS, "t1.1", "t1.1.c0", "t1.1.c1", "m1.1", "m1.2", "ap_r1_t1.1.c0", "pl:step:1"];
const GIVEN = new Set(["id", "message_id", "provider_call_id"]);

/** Longer than any preview, and cut inside a character. */
const LONG = `${"long ".repeat(600)}\u{1f6a2}${"x".repeat(600)}`;

const minted = fc.constantFrom(...IDS);
const given = fc.constantFrom(...IDS, ...TRICKY);
/** Tables are also indexed by codes, names and kinds. */
const inherited = fc.constantFrom("constructor", "__proto__", "valueOf", "toString");
const short = fc.oneof(
  { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: inherited },
);
const words = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom("\n", "data: x\n\n", "\u2028", "\ud800", "</script>") },
  { weight: 1, arbitrary: fc.constant(LONG) },
  { weight: 1, arbitrary: inherited },
);
const counts = fc.integer({ min: 1, max: 50 });
const amounts = fc.oneof(counts, fc.double({ min: 0.001, max: 1e6, noNaN: true }));
export const json = fc.jsonValue({ maxDepth: 2 });

type Def = z.core.$ZodTypes["_zod"]["def"];
const defOf = (schema: unknown) => (schema as { _zod: { def: Def } })._zod.def;

type Maker<Type extends Def["type"]> = (
  def: Extract<Def, { type: Type }>,
  name: string, // of the field
  schema: unknown,
) => fc.Arbitrary<unknown>;

const MAKERS: { readonly [Type in Def["type"]]?: Maker<Type> } = {
  object: ({ shape, checks }, _, schema) => {
    const made = objectOf(shape);
    if (!checks?.length) return made;
    return made.filter((value) => (schema as z.ZodType).safeParse(value).success); // its fields depend on one another
  },
  string: (_, name, schema) => {
    if (/(^|_)id$/.test(name)) return GIVEN.has(name) ? given : minted;
    return (schema as { maxLength?: number }).maxLength ? short : words;
  },
  number: (def) => ((def as { format?: string }).format === "safeint" ? counts : amounts),
  boolean: () => fc.boolean(),
  enum: ({ entries: choices }) => fc.constantFrom(...Object.values(choices)),
  literal: ({ values }) => fc.constantFrom(...values),
  array: ({ element }, name) =>
    fc.array(arbitraryOf(element, name.replace(/s$/, "")), { minLength: 1, maxLength: 3 }),
  nullable: ({ innerType }, name) => fc.option(arbitraryOf(innerType, name)),
  optional: ({ innerType }, name) => arbitraryOf(innerType, name),
  record: ({ valueType }, name) =>
    fc.dictionary(fc.constantFrom("a", "input", "__proto__"), arbitraryOf(valueType, name), {
      maxKeys: 2,
    }),
  lazy: () => json, // z.json()
};

function arbitraryOf(schema: unknown, name: string): fc.Arbitrary<unknown> {
  const def = defOf(schema);
  const make = MAKERS[def.type] as Maker<Def["type"]> | undefined;
  if (!make) throw new Error(`no arbitrary for ${def.type} (${name})`);
  return make(def, name, schema);
}

function objectOf(shape: Readonly<Record<string, unknown>>): fc.Arbitrary<object> {
  const entries = Object.entries(shape);
  const required = entries.filter(([, schema]) => defOf(schema).type !== "optional");
  return fc.record(
    Object.fromEntries(entries.map(([name, schema]) => [name, arbitraryOf(schema, name)])),
    { requiredKeys: required.map(([name]) => name) },
  );
}

type AnyDraft = { readonly type: string; readonly payload: Record<string, unknown> };

/** What happens outside any run (rule E3). */
const OUTSIDE = /^(session|queue|goal\.updated|title)/;

const known = (isMeant: (type: string) => boolean): fc.Arbitrary<AnyDraft> =>
  fc.oneof(
    ...RunEvent.options
      .filter(({ shape }) => isMeant(shape.type.value))
      .map(({ shape }) =>
        fc.record({
          type: fc.constant(shape.type.value as string),
          payload: objectOf(shape.payload.shape) as fc.Arbitrary<Record<string, unknown>>,
        }),
      ),
  );
export const knownDrafts = known(() => true);

/** The same one each time. */
export function draftOf(type: string): Draft {
  const [draft] = fc.sample(
    known((name) => name === type),
    { seed: 1, numRuns: 1 },
  );
  return draft as Draft;
}

export const unknownDrafts: fc.Arbitrary<AnyDraft> = fc.record({
  type: fc.constantFrom(
    "x.note",
    "x.stream.swarm_started",
    "x.stream.worker_done",
    "moon.phase",
    "constructor",
    "__proto__",
    "toString",
  ),
  payload: fc.dictionary(fc.constantFrom("a", "event", "method", "params", "type"), json, {
    maxKeys: 3,
  }),
});

type Entry = { readonly run: string | null; readonly draft: AnyDraft };
const entry = (run: fc.Arbitrary<string | null>, draft: fc.Arbitrary<AnyDraft>) =>
  fc.record<Entry>({ run, draft });
const entries = fc.oneof(
  { weight: 12, arbitrary: entry(fc.constantFrom(...RUNS), knownDrafts) },
  { weight: 1, arbitrary: entry(fc.constantFrom(...RUNS, null), unknownDrafts) },
  {
    weight: 1,
    arbitrary: entry(
      fc.constant(null),
      known((type) => OUTSIDE.test(type)),
    ),
  },
);

/** Without these, windows on a run have nothing to follow. */
const beginning = fc.tuple(
  ...["message.user", "run.queued", "run.started"].map((type) =>
    entry(
      fc.constantFrom("r1"),
      known((name) => name === type),
    ),
  ),
);

/** Numbered as the journal does; their contents need not be consistent. */
export const eventSequences = (maxLength: number): fc.Arbitrary<AnyEvent[]> =>
  fc
    .tuple(
      fc.constantFrom(...SESSIONS),
      fc.option(beginning, { freq: 8, nil: [] }),
      fc.array(entries, { maxLength, size: "max" }),
    )
    .map(([sessionId, first, rest]) => numbered(sessionId, [...first, ...rest]));

function numbered(session_id: string, all: readonly Entry[]): AnyEvent[] {
  const heads = new Map<string, number>();
  return all.map(({ run, draft: { type, payload } }, index) => {
    const run_id = run ?? session_id;
    const seq = (heads.get(run_id) ?? 0) + 1;
    heads.set(run_id, seq);
    return {
      event_id: `${run_id}:${seq}`,
      seq,
      run_id,
      session_id,
      session_seq: index + 1,
      epoch: "e1",
      type,
      created_at: 1_794_741_349 + index / 8,
      terminal: type === "done",
      payload,
      prev_hash: "0".repeat(64),
      hash: "0".repeat(64),
    };
  });
}

/** The same event without its optional fields. */
export function withoutOptional(event: AnyEvent): AnyEvent {
  const option = RunEvent.options.find(({ shape }) => shape.type.value === event.type);
  if (!option) return event;
  return { ...event, payload: stripped(option.shape.payload, event.payload) } as AnyEvent;
}

function stripped(schema: unknown, value: unknown): unknown {
  const def = defOf(schema);
  if (def.type === "nullable") return value === null ? null : stripped(def.innerType, value);
  if (def.type === "array") {
    return (value as unknown[]).map((element) => stripped(def.element, element));
  }
  if (def.type !== "object") return value;
  const known = value as Readonly<Record<string, unknown>>;
  const required = Object.entries(def.shape).filter(([, one]) => defOf(one).type !== "optional");
  return Object.fromEntries(required.map(([name, one]) => [name, stripped(one, known[name])]));
}
