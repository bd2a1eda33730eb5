// The device's state machine, played by hand, for what would take minutes to wait for: inputs in, and what it wants done.
import {
  newMachine,
  step,
  type Device,
  type Effect,
  type Input,
  type Machine,
  type TimerName,
} from "../../../src/windows/terminal/client/machine.ts";
import { parseServerFrame } from "../../../src/windows/terminal/client/server-frame.ts";
import { SEED } from "../../e2e/terminal/seed.ts";

export const DEVICE: Device = {
  peerId: "device-001",
  idPrefix: "device-001",
  deviceName: "desk-terminal",
  awayMs: null,
  ahead: "back",
};
export const frame = (value: unknown): Input => ({
  type: "frame",
  frame: parseServerFrame(typeof value === "string" ? value : JSON.stringify(value)),
});
export const line = (text: string): Input => ({ type: "line", text });
export const timer = (name: TimerName): Input => ({ type: "timer", name });
export const LOST: Input = { type: "closed", reason: "Gone", refused: false };
export const ONLINE: readonly Input[] = [
  { type: "start" },
  { type: "opened" },
  frame(SEED.connected),
];
export const HELLO: readonly Input[] = [...ONLINE, line("hello")];
export const ID = SEED.accepted.message_id;

export function play(
  inputs: readonly Input[],
  from: Machine = newMachine(DEVICE, { counter: 0, inFlight: null }),
) {
  const effects: Effect[] = [];
  const phases: string[] = [];
  let state = from;
  for (const input of inputs) {
    const next = step(state, input);
    state = next.state;
    effects.push(...next.effects);
    phases.push(state.phase);
  }
  const frames = effects.flatMap((effect) => (effect.type === "send" ? [effect.frame] : []));
  const messages = frames.filter(({ type }) => type === "message");
  return {
    state,
    effects,
    phases,
    frames,
    ids: messages.map(({ message_id }) => message_id),
    exits: effects.flatMap((effect) => (effect.type === "exit" ? [effect.code] : [])),
    timers: effects.flatMap((effect) =>
      effect.type === "timer" && effect.ms !== null ? [`${effect.name} ${effect.ms}`] : [],
    ),
  };
}
