// Sends commands one after the other and says what became of them. A wish keeps its command id until it is
// answered, so sending it again after a lost answer is a repeat and not a second wish (C2); another wish waits for
// it, and is not lost.
import { useRef, useState } from "react";
import { toApiFailure } from "../kernel/client/api-failure.ts";
import type { Outcome } from "../kernel/events/commands.ts";
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
  const underWay = useRef(new Set<string>());
  const last = useRef(Promise.resolve());

  const send: Command["send"] = (wish, deliver, onTaken) => {
    const key = JSON.stringify(wish);
    if (underWay.current.has(key)) return;
    const commandId = ids.current.get(key) ?? newId("cmd");
    ids.current.set(key, commandId);
    const alone = underWay.current.size === 0;
    underWay.current.add(key);
    setState(({ problem }) => ({ busy: true, problem: alone ? null : problem }));
    const settle = (failed: string | null) => {
      underWay.current.delete(key);
      const busy = underWay.current.size > 0;
      setState(({ problem }) => ({ busy, problem: failed ?? problem })); // one that worked hides none that did not
    };
    last.current = last.current
      .then(() => deliver(commandId))
      .then((outcome) => {
        ids.current.delete(key);
        settle(outcome.accepted ? null : outcome.safe_message);
        if (outcome.accepted) onTaken?.(outcome);
      })
      .catch((error: unknown) => {
        const { message, retryable } = toApiFailure(error);
        if (!retryable) ids.current.delete(key);
        settle(`${message}${retryable ? " Try again." : ""}`);
      });
  };
  return { ...state, send, forget: () => setState(IDLE) };
}

const IDLE = { busy: false, problem: null };
