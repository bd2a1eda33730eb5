// The commands that need no word behind them, in the palette and by key.
import { useAction, type Section } from "../keys/actions.ts";
import { SLASH, type SlashName } from "./slash/commands.ts";
import type { Slash } from "./slash/use-slash.ts";

type Listed = { readonly name: SlashName; readonly section: Section; readonly keys?: string[] };

const LISTED: readonly Listed[] = [
  { name: "stop", section: "Run", keys: ["escape"] },
  { name: "rewind", section: "Run", keys: ["escape escape"] },
  { name: "undo", section: "Run" },
  { name: "retry", section: "Run" },
  { name: "compress", section: "Session" },
  { name: "branch", section: "Session" },
  { name: "demo", section: "Session" },
];

/** `onStop`: what Esc does while something runs; null: nothing does. */
type ActionsProps = { slash: Slash; onStop: (() => void) | null };

export function ComposerActions({ slash, onStop }: ActionsProps) {
  return LISTED.map((listed) => {
    const isStop = listed.name === "stop";
    return (
      <Listed
        key={listed.name}
        {...listed}
        unavailable={isStop && !onStop ? "Nothing is running" : null}
        run={isStop && onStop ? onStop : () => slash.run(listed.name, "")}
      />
    );
  });
}

type ListedProps = Listed & { unavailable: string | null; run: () => void };

function Listed({ name, section, keys, unavailable, run }: ListedProps) {
  useAction({
    id: `composer.${name}`,
    title: SLASH[name].does,
    section,
    unavailable,
    run,
    ...(keys && { keys }),
  });
  return null;
}
