// The one way to change something: serial, with busy and problem. A command keeps its id until it is answered,
// so a retry is not a second command (C2).
import { useRef, useState } from "react";
import { toApiFailure, type ApiFailure } from "../kernel/client/api-failure.ts";
import type { Outcome } from "../kernel/events/commands.ts";
import { newId } from "./new-id.ts";

type Deliver = (commandId: string) => Promise<Outcome>;
export type Mutation = {
  readonly busy: boolean;
  readonly problem: string | null;
  /** Without a command id; ignored while another one is running. */
  readonly run: <Result>(work: () => Promise<Result>, onDone?: (result: Result) => void) => void;
  /** `command` is everything that is sent: an equal one in flight is not sent twice, another one waits. */
  readonly send: (command: unknown, deliver: Deliver, onDone?: (outcome: Outcome) => void) => void;
  readonly reset: () => void;
};

type Steps<Result> = {
  readonly work: () => Promise<Result>;
  readonly refusal: (result: Result) => string | null;
  readonly failed: (failure: ApiFailure) => string;
  readonly onDone: ((result: Result) => void) | undefined;
};

export function useMutation(): Mutation {
  const [state, setState] = useState<{ busy: boolean; problem: string | null }>(IDLE);
  const ids = useRef(new Map<string, string>());
  const underWay = useRef(new Set<string>());
  const last = useRef(Promise.resolve());

  const enqueue = <Result>(key: string, { work, refusal, failed, onDone }: Steps<Result>) => {
    if (underWay.current.has(key)) return;
    const alone = underWay.current.size === 0;
    underWay.current.add(key);
    setState(({ problem }) => ({ busy: true, problem: alone ? null : problem }));
    const settle = (problem: string | null) => {
      underWay.current.delete(key);
      const busy = underWay.current.size > 0;
      setState((before) => ({ busy, problem: problem ?? before.problem })); // one that worked hides none that did not
    };
    last.current = last.current
      .then(work)
      .then((result) => {
        const refused = refusal(result);
        settle(refused);
        if (refused === null) onDone?.(result);
      })
      .catch((error: unknown) => settle(failed(toApiFailure(error))));
  };

  const run: Mutation["run"] = (work, onDone) =>
    enqueue("", { work, refusal: () => null, failed: ({ message }) => message, onDone });

  const send: Mutation["send"] = (command, deliver, onDone) => {
    const key = JSON.stringify(command);
    const commandId = ids.current.get(key) ?? newId("cmd");
    ids.current.set(key, commandId);
    enqueue(key, {
      work: () => deliver(commandId),
      refusal(outcome) {
        ids.current.delete(key);
        return outcome.accepted ? null : outcome.safe_message;
      },
      failed({ message, retryable }) {
        if (!retryable) ids.current.delete(key);
        return `${message}${retryable ? " Try again." : ""}`;
      },
      onDone,
    });
  };
  return { ...state, run, send, reset: () => setState(IDLE) };
}

const IDLE = { busy: false, problem: null };
