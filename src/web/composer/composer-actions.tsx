// Slash commands without arguments, as palette actions and keys.
import { useAction, type Section } from "../keys/actions.ts";
import { SLASH, type SlashName } from "../../kernel/text/slash-commands.ts";
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

/** `onStop`: what Esc does during a run; null without one. */
type ActionsProps = { slash: Slash; onStop: (() => void) | null };

export function ComposerActions({ slash, onStop }: ActionsProps) {
  return LISTED.map((listed) => {
    const isStop = listed.name === "stop";
    return (
      <Listed
        key={listed.name}
        {...listed}
        unavailable={isStop && !onStop ? "Nothing is running" : null}
        run={isStop && onStop ? (by) => stopOrReturn(onStop, by) : () => slash.run(listed.name, "")}
      />
    );
  });
}

/** Esc on a button leaves that button; it does not stop the run. */
function stopOrReturn(stop: () => void, by: KeyboardEvent | undefined): void {
  const atRun = by?.target instanceof Element && by.target.closest('[role="log"]') !== null;
  if (by && !atRun) document.getElementById("composer")?.focus();
  else stop();
}

type ListedProps = Listed & { unavailable: string | null; run: (by?: KeyboardEvent) => void };

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
