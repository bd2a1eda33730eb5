// Sends one command at a time and says what became of it. A wish keeps its command id until it is
// answered, so sending it again after a lost answer is a repeat and not a second wish (C2).
import { useRef, useState } from "react";
import { toApiFailure } from "../client/api-failure.ts";
import type { Outcome } from "../protocol/commands.ts";
import { newId } from "./new-id.ts";

type Deliver = (commandId: string) => Promise<Outcome>;
export type Command = {
  readonly busy: boolean;
  readonly problem: string | null;
  /** `wish` names what is asked for, with everything that is sent: the same wish is the same command. */
  readonly send: (wish: unknown, deliver: Deliver, onTaken?: (outcome: Outcome) => void) => void;
  readonly forget: () => void;
};

export function useCommand(): Command {
  const [state, setState] = useState<{ busy: boolean; problem: string | null }>(IDLE);
  const ids = useRef(new Map<string, string>());
  const underWay = useRef(false);

  const send: Command["send"] = (wish, deliver, onTaken) => {
    if (underWay.current) return;
    const key = JSON.stringify(wish);
    const commandId = ids.current.get(key) ?? newId("cmd");
    ids.current.set(key, commandId);
    underWay.current = true;
    setState({ busy: true, problem: null });
    deliver(commandId)
      .then((outcome) => {
        ids.current.delete(key);
        setState({ busy: false, problem: outcome.accepted ? null : outcome.safe_message });
        if (outcome.accepted) onTaken?.(outcome);
      })
      .catch((error: unknown) => {
        const { message, retryable } = toApiFailure(error);
        if (!retryable) ids.current.delete(key);
        setState({ busy: false, problem: `${message}${retryable ? " Try again." : ""}` });
      })
      .finally(() => {
        underWay.current = false;
      });
  };
  return { ...state, send, forget: () => setState(IDLE) };
}

const IDLE = { busy: false, problem: null };
