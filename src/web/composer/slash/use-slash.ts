// Runs slash commands one at a time and keeps the last result.
import { useState } from "react";
import { useMutation } from "../../use-mutation.ts";
import { SLASH_ACTIONS, type SlashDeps } from "./actions.ts";
import type { SlashName } from "../../../kernel/text/slash-commands.ts";

export type Slash = {
  readonly run: (name: SlashName, argument: string, onDone?: () => void) => void;
  readonly problem: string | null;
  readonly note: string | null;
  readonly busy: boolean;
  readonly forget: () => void;
};

type Shown = { readonly problem: string | null; readonly note: string | null };
const NOTHING: Shown = { problem: null, note: null };

export function useSlash(deps: SlashDeps): Slash {
  const command = useMutation();
  const [shown, setShown] = useState<Shown>(NOTHING);
  const run: Slash["run"] = (name, argument, onDone) => {
    command.reset();
    const result = SLASH_ACTIONS[name](argument, deps);
    if ("problem" in result) return setShown({ problem: result.problem, note: null });
    const done = () => {
      setShown({ problem: null, note: result.done });
      onDone?.();
    };
    if (!("deliver" in result)) return done();
    setShown(NOTHING);
    command.send({ name, argument }, result.deliver, done);
  };
  return {
    run,
    problem: shown.problem ?? command.problem,
    note: shown.note,
    busy: command.busy,
    forget: () => {
      setShown(NOTHING);
      command.reset();
    },
  };
}
