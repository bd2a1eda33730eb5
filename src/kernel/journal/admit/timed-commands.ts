// Measures how long commands take until they are durable: all of them, including ones that are added later.
import type { Commands, Journal } from "../journal.ts";

type Command = (...args: unknown[]) => Promise<unknown>;
type Timed = { readonly commands: Commands } & Pick<Journal, "watchCommands">;

export function timedCommands(plain: Commands): Timed {
  const listeners = new Set<(seconds: number) => void>();
  const timed =
    (command: Command): Command =>
    async (...args) => {
      const began = performance.now();
      const outcome = await command(...args);
      for (const listener of listeners) listener((performance.now() - began) / 1_000);
      return outcome;
    };
  const all = Object.entries(plain).map(([name, command]) => [name, timed(command as Command)]);
  return {
    commands: Object.fromEntries(all) as Commands,
    watchCommands(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
