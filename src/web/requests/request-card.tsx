// Something that waits for a person, or waited. Unanswered it can be answered here; answered it says by
// whom and how, for everyone who looks.
import type { ComponentType } from "react";
import type { RequestState, ToolItem } from "../../protocol/run-items.ts";
import { useIsPast } from "../session/use-session.ts";
import { Answered } from "./answered.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { ClarifyCard } from "./clarify-card.tsx";
import styles from "./requests.module.css";
import { UnknownOutcomeCard } from "./unknown-outcome-card.tsx";

export type RequestProps = {
  readonly request: RequestState;
  readonly runId: string;
  readonly tool: ToolItem | null;
};

const CARD: Record<RequestState["kind"], ComponentType<RequestProps>> = {
  approval: ApprovalCard,
  clarify: ClarifyCard,
  unknown_outcome: UnknownOutcomeCard,
};

export function RequestCard(props: RequestProps) {
  const { request, tool } = props;
  const past = useIsPast();
  if (request.answer) {
    const edited = tool !== null && request.planHash !== null && tool.planHash !== request.planHash;
    return <Answered request={request} answer={request.answer} edited={edited} />;
  }
  const Card = CARD[request.kind];
  return (
    <fieldset className={styles.past} disabled={past}>
      {past && <p className={styles.note}>It waited at this moment. Go back to now to answer.</p>}
      <Card {...props} />
    </fieldset>
  );
}
