// A request in a session: can be answered here while open, and says by whom and how afterwards.
import { useState, type ComponentType, useEffect, useRef, type FocusEvent } from "react";
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { RequestState, ToolItem } from "../../kernel/state/run/items.ts";
import { useIsPast, useLive, useRecorded } from "../session/use-session.ts";
import { Answered, NotAnswered } from "./answered.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { ClarifyCard } from "./clarify-card.tsx";
import styles from "./requests.module.css";
import { useOver } from "./request-over.ts";
import { UnknownOutcomeCard } from "./unknown-outcome-card.tsx";
import { describeLate, type Late } from "./use-answer.ts";
import { useAnsweredElsewhere, useOwnPresses } from "./use-seen.ts";

export type RequestProps = {
  readonly request: RequestState;
  readonly runId: string;
  readonly tool: ToolItem | null;
};
export type CardProps = RequestProps & {
  /** Whether its answers have keys; at most one card on the screen has them. */
  readonly keys: boolean;
  /** Somebody else was faster, or it was too late; stays visible when the card is gone. */
  readonly onLate: (late: Late) => void;
  /** Called when it is answered here. */
  readonly onAct: () => void;
};

const CARD: Record<RequestState["kind"], ComponentType<CardProps>> = {
  approval: ApprovalCard,
  clarify: ClarifyCard,
  unknown_outcome: UnknownOutcomeCard,
};

/** Keys answer the oldest open request. */
export function RequestCard(props: RequestProps) {
  const past = useIsPast();
  const isRecorded = useRecorded();
  const first = useLive(oldestPending);
  const over = useOver(props.runId, props.tool);
  const waits = props.request.answer === null && over === null;
  return (
    // The same elements before and after the answer, so that the result of an own attempt stays visible.
    <fieldset className="min-w-0 m-0 p-0 border-0" disabled={past && waits}>
      {past && waits && (
        <p className={styles.note}>
          It waited at this moment.{!isRecorded && " Go back to now to answer."}
        </p>
      )}
      <OpenRequest {...props} keys={waits && !past && first === props.request.id} />
    </fieldset>
  );
}

/** For the inbox and for links: needs only the request and its session. */
export function OpenRequest({ request, runId, tool, keys }: RequestProps & { keys: boolean }) {
  const [late, setLate] = useState<Late | null>(null);
  const over = useOver(runId, tool);
  const open = request.answer === null && over === null;
  const { note, within, onAct: keepFocus } = useKeptFocus(request.id, !open);
  const answeredHere = useAnsweredElsewhere(open);
  const presses = useOwnPresses(open);
  const onAct = () => {
    keepFocus();
    answeredHere();
  };
  const Card = CARD[request.kind];
  const edited = tool !== null && request.planHash !== null && tool.planHash !== request.planHash;
  return (
    <div {...within} {...presses}>
      {open ? (
        <Card {...{ request, runId, tool, keys, onAct }} onLate={setLate} />
      ) : (
        <div ref={note} className={styles.settled} tabIndex={-1}>
          {request.answer ? (
            <Answered request={request} answer={request.answer} edited={edited} />
          ) : (
            <NotAnswered request={request} over={over} />
          )}
        </div>
      )}
      {!open && late !== null && (
        <p className={styles.late} role="alert">
          {describeLate(late, request.answer)}
        </p>
      )}
    </div>
  );
}

function oldestPending({ session }: SessionView): string | null {
  let oldest: SessionView["session"]["pending"][string] | undefined;
  for (const request of Object.values(session.pending)) {
    if (!oldest || request.at < oldest.at) oldest = request;
  }
  return oldest?.requestId ?? null;
}

// Moves the focus to the decision when the buttons disappear, unless the person is elsewhere.
function useKeptFocus(requestId: string, answered: boolean) {
  const note = useRef<HTMLDivElement>(null);
  const here = useRef(false); // the focus was in the card, or somebody answered with it
  useEffect(() => {
    if (!answered || !here.current) return;
    here.current = false;
    const active = document.activeElement;
    // Its inbox entry is about to be removed, too.
    const leaving = active instanceof HTMLElement && active.dataset["entry"] === requestId;
    if (active === null || active === document.body || leaving) {
      note.current?.focus({ preventScroll: true });
    }
  }, [answered, requestId]);
  return {
    note,
    onAct: () => {
      here.current = true;
    },
    within: {
      onFocus: () => {
        here.current = !answered;
      },
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) here.current = false;
      },
    },
  };
}
