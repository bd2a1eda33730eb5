// An answered request in one line: what was decided, by whom, when.
import type { RequestAnswer, RequestState } from "../../kernel/state/run/items.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Time } from "../ui/time.tsx";
import type { Over } from "./request-over.ts";
import styles from "./requests.module.css";

const ICON: Record<RequestAnswer["status"], IconName> = {
  approved: "check",
  denied: "close",
  answered: "check",
  expired: "alert",
  cancelled: "close",
};
const SCOPE: Readonly<Record<string, string>> = {
  once: "Allowed once",
  session: "Allowed in this session",
  always: "Always allowed",
};
const OUTCOME: Readonly<Record<string, string>> = {
  check: "Decided: check whether it happened",
  retry: "Decided: run it again",
  mark_done: "Decided: it happened",
  skip: "Decided: continue without it",
};
const SAID: Record<
  RequestAnswer["status"],
  (choice: string, kind: RequestState["kind"]) => string
> = {
  approved: (choice) => SCOPE[choice] ?? "Allowed",
  denied: () => "Denied",
  answered: (choice, kind) =>
    (kind === "unknown_outcome" && OUTCOME[choice]) || `Answer: ${choice}`,
  expired: () => "Expired without an answer; nothing was run",
  cancelled: () => "No longer needed; the run was stopped",
};

type AnsweredProps = { request: RequestState; answer: RequestAnswer; edited: boolean };

export function Answered({ request, answer, edited }: AnsweredProps) {
  const shown = SAID[answer.status](answer.choice ?? "", request.kind);
  return (
    <div className={styles.answered} data-status={answer.status} data-kind={request.kind}>
      {request.kind === "clarify" && (
        <p className="medium pre-wrap">{visibleText(request.prompt)}</p>
      )}
      <p className={styles.verdict}>
        <Icon name={ICON[answer.status]} />
        <span>
          {visibleText(shown)}
          {edited && answer.status === "approved" && ", as edited"}
        </span>
        {answer.feedback !== null && <q>{visibleText(answer.feedback)}</q>}
        <span className="hint">
          by {visibleText(answer.by)} · <Time at={answer.at} />
        </span>
      </p>
    </div>
  );
}

/** Nobody answered, and nobody can any more. */
export function NotAnswered({ request, over }: { request: RequestState; over: Over }) {
  return (
    <div className={styles.answered} data-status="cancelled" data-kind={request.kind}>
      {request.kind === "clarify" && (
        <p className="medium pre-wrap">{visibleText(request.prompt)}</p>
      )}
      <p className={styles.verdict}>
        <Icon name="close" />
        <span>Not answered: the {over === "call" ? "call is over" : "run has ended"}</span>
      </p>
    </div>
  );
}
