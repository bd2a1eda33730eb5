// Sends one answer. The first answer wins, here or elsewhere; the card changes only when the journal says so.
import { useRef, useState } from "react";
import type { Outcome } from "../../kernel/events/commands.ts";
import type { RequestAnswer } from "../../kernel/state/run/items.ts";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import { newId } from "../new-id.ts";
import { useLive } from "../session/use-session.ts";

export type AnswerState =
  | { readonly status: "open" }
  | { readonly status: "sending"; readonly choice: string }
  | { readonly status: "late"; readonly message: string }
  | { readonly status: "failed"; readonly message: string };

export type Late = Exclude<Outcome["status"], "accepted" | "duplicate">;

const KINDLY: Record<Late, string> = {
  not_active: "This run has ended in the meantime; nothing is waiting any more.",
  expired: "Too late: this question has expired.",
  conflict: "Somebody else answered first. Their answer holds.",
  unsupported: "This cannot be answered from here.",
};

const GIVEN: ReadonlySet<RequestAnswer["status"]> = new Set(["approved", "denied", "answered"]);

/** If somebody else's answer was first, say that, even if the run has ended since. */
export function describeLate(late: Late, answer: RequestAnswer | null): string {
  return KINDLY[late === "not_active" && answer && GIVEN.has(answer.status) ? "conflict" : late];
}

type Emitted = {
  readonly onLate: (late: Late) => void;
  readonly onAct: () => void; // an answer is given here
};

export function useAnswer({ onLate, onAct }: Emitted) {
  const [state, setState] = useState<AnswerState>({ status: "open" });
  const live = useLive(({ connection }) => connection.state === "live");
  const [wasLive, setWasLive] = useState(live);
  if (live !== wasLive) {
    setWasLive(live);
    // The server is back, so the failure no longer holds.
    if (live && state.status === "failed") setState({ status: "open" });
  }
  const commandIds = useRef(new Map<string, string>()); // one id per answer, however often it is sent

  const send = (choice: string, deliver: (commandId: string) => Promise<Outcome>) => {
    if (state.status === "sending") return;
    const commandId = commandIds.current.get(choice) ?? newId("cmd");
    commandIds.current.set(choice, commandId);
    setState({ status: "sending", choice });
    onAct();
    deliver(commandId).then(
      ({ status }) => {
        if (status === "accepted" || status === "duplicate") return; // the event closes the card
        setState({ status: "late", message: KINDLY[status] });
        onLate(status);
      },
      (error: unknown) => setState({ status: "failed", message: toApiFailure(error).message }),
    );
  };
  return { state, send };
}
