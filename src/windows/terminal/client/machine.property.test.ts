// The machine against a server that may do anything: answer, stay silent, repeat, lie about ids, or go.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import { newMachine, step, type Effect, type Input, type Machine, type Memory } from "./machine.ts";
import type { ServerFrame } from "./server-frame.ts";

const DEVICE = {
  peerId: "p",
  idPrefix: "p",
  deviceName: "d",
  awayMs: null,
  ahead: "back",
} as const;

const count = fc.integer({ min: 0, max: 4 });
type Move =
  | {
      readonly kind:
        | "line"
        | "restart"
        | "end"
        | "interrupt"
        | "connect"
        | "opened"
        | "lost"
        | "pong";
    }
  | { readonly kind: "timer"; readonly name: "retry" | "ping" | "dead" }
  /** About the id that many before the newest. */
  | { readonly kind: "ack" | "reply" | "error"; readonly back: number; readonly variant: number };

const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Move>({ kind: "line" }) },
  { weight: 6, arbitrary: fc.constantFrom<Move>({ kind: "opened" }, { kind: "connect" }) },
  fc.constantFrom<Move>(
    { kind: "lost" },
    { kind: "pong" },
    { kind: "restart" },
    { kind: "timer", name: "retry" },
    { kind: "timer", name: "ping" },
    { kind: "timer", name: "dead" },
  ),
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("ack" as const, "reply" as const, "error" as const),
      back: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, count),
      variant: fc.nat(5),
    }),
  },
);

const idOf = (counter: number) => `p-${String(counter).padStart(6, "0")}`;
const HOW = ["stop", "stop", "error", "cancelled", "needs_input", "later"];

function toFrame(move: Extract<Move, { back: number }>, counter: number): ServerFrame {
  const messageId = idOf(Math.max(counter - move.back, 0));
  const { variant } = move;
  if (move.kind === "error") {
    const asking = variant === 3 ? `ap of ${messageId}` : undefined;
    const about = variant % 2 === 0 ? undefined : messageId;
    return { type: "error", error: "no", messageId: about, requestId: asking, unauthorized: false };
  }
  if (move.kind === "reply") {
    const finishReason = HOW[variant] ?? "stop";
    const requestId = finishReason === "needs_input" ? `ap of ${messageId}` : undefined;
    const text = `re ${messageId}`;
    return { type: "message", messageId, runId: "r", text, finishReason, requestId };
  }
  const duplicate = variant > 0;
  const reply = variant === 3 || variant === 5 ? "cached" : undefined;
  const error = variant >= 4 ? "used" : undefined;
  const requestId = variant === 3 ? `ap of ${messageId}` : undefined;
  return { type: "ack", messageId, duplicate, pending: variant === 2, reply, error, requestId };
}

class World {
  machine: Machine = newMachine(DEVICE, { counter: 0, inFlight: null });
  disk: Memory = { counter: 0, inFlight: null };
  typed: string[] = [];
  dropped: string[] = []; // queued in a process that was killed, or given back at a question
  shown = new Map<string, number>(); // how many lines had been typed when a request was first told of
  sends: { id: string; text: string }[] = [];
  finished: string[] = []; // texts of turns that are over
  live: { id: string; text: string } | undefined;

  take(input: Input): void {
    const before = this.machine;
    const { state, effects } = step(before, input);
    this.machine = state;
    const about =
      input.type === "frame" && "messageId" in input.frame ? input.frame.messageId : null;
    if (typeof about === "string" && about !== before.inFlight?.messageId) {
      assert.deepEqual(state.inFlight, before.inFlight, "what is said of another turn ends none");
    }
    const asked = input.type === "frame" && "requestId" in input.frame && input.frame.requestId;
    if (asked && !this.shown.has(asked)) this.shown.set(asked, this.typed.length);
    const line = input.type === "line" ? [input.text] : [];
    const open = [...state.queue, state.inFlight?.text];
    const back = [...before.queue, ...line].filter((text) => !open.includes(text));
    const said = effects.flatMap((effect) => (effect.type === "notice" ? [effect.text] : []));
    assert.ok(back.length === 0 || said.some((text) => text.startsWith("Not sent")));
    this.dropped.push(...back);
    for (const effect of effects) this.perform(effect, before);
  }

  perform(effect: Effect, before: Machine): void {
    if (effect.type === "save") {
      assert.ok(effect.memory.counter >= this.disk.counter, "the counter never goes back");
      this.disk = effect.memory;
    }
    if (effect.type === "send" && effect.frame["type"] === "message") {
      const [id, text] = [effect.frame["message_id"] as string, effect.frame["text"] as string];
      const answers = effect.frame["answers"] as string | null;
      const turn = { messageId: id, text, answers };
      assert.deepEqual(this.disk.inFlight, turn, "on disk before on the wire");
      const since = answers === null ? 0 : (this.shown.get(answers) ?? Infinity);
      assert.ok(this.typed.indexOf(text) >= since, "typed when it was asked already");
      assert.equal(id, idOf(this.disk.counter));
      assert.ok(!this.live || this.live.text === text, "one turn in flight");
      const known = this.sends.find((each) => each.id === id);
      assert.ok(!known || known.text === text, "an id stands for one text");
      this.live = { id, text };
      this.sends.push(this.live);
    }
    if (effect.type === "reply" && (effect.own || before.recovered) && this.live) {
      if (this.machine.inFlight?.messageId === this.live.id) return;
      this.finished.push(this.live.text);
      this.live = undefined;
    }
  }

  /** Killed and started again: what was typed ahead is gone with the process, the turn is not. */
  restart(): void {
    this.dropped.push(...this.machine.queue);
    this.machine = newMachine(DEVICE, this.disk);
    this.take({ type: "start" });
  }
}

function play(all: readonly Move[]): World {
  const world = new World();
  world.take({ type: "start" });
  for (const move of all) {
    const { counter } = world.machine;
    if (move.kind === "line") {
      const text = `line ${world.typed.length}`;
      world.typed.push(text);
      world.take({ type: "line", text });
    } else if (move.kind === "restart") world.restart();
    else if (move.kind === "timer") world.take({ type: "timer", name: move.name });
    else if (move.kind === "lost") world.take({ type: "closed", reason: "x", refused: false });
    else if (move.kind === "connect") {
      world.take({ type: "frame", frame: { type: "connected", sessionId: "s" } });
    } else if (move.kind === "pong") world.take({ type: "frame", frame: { type: "pong" } });
    else if ("back" in move) world.take({ type: "frame", frame: toFrame(move, counter) });
    else world.take({ type: move.kind } as Input);
    if (world.machine.exited) world.restart(); // refused while it said hello
  }
  return world;
}

test("[W5, W8] whatever a server does: one turn in flight, no line lost or doubled, none an answer to what came later, ids only grow", () => {
  fc.assert(
    fc.property(fc.array(moves, { maxLength: 120 }), (all) => {
      const { machine, typed, dropped, finished, live, sends } = play(all);
      const open = machine.inFlight ? [machine.inFlight.text] : [];
      assert.deepEqual(
        [...finished, ...open, ...machine.queue, ...dropped].toSorted(byNumber),
        typed,
        "every line is over, in flight, waiting, or was never sent",
      );
      assert.deepEqual(finished, finished.toSorted(byNumber), "in the order they were typed");
      assert.equal(live?.text ?? open[0], open[0]);
      const ids = sends.map(({ id }) => id);
      assert.deepEqual(ids, ids.toSorted());
    }),
    { numRuns: tries(5_000) },
  );
});

const byNumber = (a: string, b: string) => Number(a.split(" ")[1]) - Number(b.split(" ")[1]);

test("[W6] a server that answers answers everything: no line waits for ever", () => {
  fc.assert(
    fc.property(fc.array(moves, { maxLength: 60 }), (all) => {
      const world = play(all);
      for (let turn = 0; turn < 200; turn += 1) {
        const { phase, inFlight, queue, counter } = world.machine;
        if (phase === "DISCONNECTED") world.take({ type: "timer", name: "retry" });
        else if (phase === "CONNECTING") world.take({ type: "opened" });
        else if (phase === "WAIT_CONNECTED") {
          world.take({ type: "frame", frame: { type: "connected", sessionId: "s" } });
        } else if (inFlight) {
          const reply = { kind: "reply", back: 0, variant: 0 } as const;
          world.take({ type: "frame", frame: toFrame(reply, counter) });
        } else {
          assert.deepEqual(queue, []);
          return;
        }
      }
      assert.fail("it never comes to an end");
    }),
    { numRuns: tries(1_000) },
  );
});
