// The machine with hands: a connection, timers, a screen and a file. It decides nothing.
import {
  newMachine,
  step,
  type Device,
  type Effect,
  type Input,
  type TimerName,
} from "./machine.ts";
import type { MemoryFile } from "./memory-file.ts";
import type { Screen } from "./screen.ts";
import { parseServerFrame } from "./server-frame.ts";

export type Line = { send(text: string): void; close(): void };
export type Hearing = {
  opened(): void;
  text(text: string): void;
  /** `refused`: coming again does not help. */
  closed(reason: string, refused: boolean): void;
};
export type TerminalDeps = {
  readonly device: Device;
  readonly memory: MemoryFile;
  readonly screen: Screen;
  readonly dial: (on: Hearing) => Line;
  readonly log: (text: string) => void;
};

/** Until there is nothing left to do, or somebody leaves. The exit code. */
export async function runTerminal(deps: TerminalDeps): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const hands = handsOf(deps, { take, exit: (code) => ended.resolve(code) });
  const waiting: Input[] = [];
  let state = newMachine(deps.device, deps.memory.memory);
  let busy = false;

  /** What happens while effects are done comes after them. */
  function take(input: Input): void {
    waiting.push(input);
    if (busy) return;
    busy = true;
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { state: after, effects } = step(state, next);
        state = after;
        for (const effect of effects) hands.perform(effect);
        deps.screen.phase(state.phase);
      }
    } catch (error) {
      ended.reject(error);
    } finally {
      busy = false;
    }
  }

  deps.screen.listen({
    line: (text) => void (text.trim() !== "" && take({ type: "line", text })),
    end: () => take({ type: "end" }),
    interrupt: () => take({ type: "interrupt" }),
  });
  take({ type: "start" });
  try {
    return await ended.promise;
  } finally {
    hands.letGo();
    deps.screen.close();
  }
}

type Taking = { readonly take: (input: Input) => void; readonly exit: (code: number) => void };
type Performers = {
  readonly [Type in Effect["type"]]: (effect: Extract<Effect, { type: Type }>) => void;
};

function handsOf({ dial, memory, screen, log }: TerminalDeps, { take, exit }: Taking) {
  const timers = new Map<TimerName, NodeJS.Timeout>();
  let current: { line?: Line } = {};

  function hangUp(): void {
    current.line?.close();
    current = {}; // whatever the former line still says is not heard
  }
  function open(): void {
    hangUp();
    const mine = current;
    const heard = (input: Input) => void (mine === current && take(input));
    mine.line = dial({
      opened: () => heard({ type: "opened" }),
      text: (text) => heard({ type: "frame", frame: parseServerFrame(text) }),
      closed: (reason, refused) => heard({ type: "closed", reason, refused }),
    });
  }
  function setTimer(name: TimerName, ms: number | null): void {
    clearTimeout(timers.get(name));
    timers.delete(name);
    if (ms === null) return;
    const fired = () => take({ type: "timer", name });
    timers.set(name, setTimeout(fired, ms));
  }

  const performers: Performers = {
    open,
    close: hangUp,
    send: ({ frame }) => current.line?.send(JSON.stringify(frame)),
    save: (effect) => memory.save(effect.memory),
    timer: ({ name, ms }) => setTimer(name, ms),
    reply: ({ text, how, own }) => screen.reply(text, { finish: how, own }),
    notice: ({ text }) => screen.notice(text),
    log: ({ text }) => log(text),
    exit: ({ code }) => exit(code),
  };
  return {
    perform: (effect: Effect) => (performers[effect.type] as (effect: Effect) => void)(effect),
    letGo(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      hangUp();
    },
  };
}
