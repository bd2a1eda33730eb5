// What will run, where, and with which risk; then the choices. The answer is bound to the plan that is
// shown, and a long plan must be seen whole before it can be allowed.
import { useState } from "react";
import type { ApprovalChoice } from "../../protocol/catalogue/human.ts";
import type { ToolItem } from "../../protocol/run-items.ts";
import { useApp } from "../app-context.ts";
import { textArgument } from "../tools/tool-kind.ts";
import { visibleText } from "../text/visible-text.ts";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { AnswerNote } from "./answer-note.tsx";
import type { RequestProps } from "./request-card.tsx";
import styles from "./requests.module.css";
import { useAnswer } from "./use-answer.ts";

const CHOICE: Record<ApprovalChoice, { label: string; title: string; tone: ButtonProps["tone"] }> =
  {
    once: { label: "Allow once", title: "Run this now; ask again next time", tone: "primary" },
    session: {
      label: "Allow in this session",
      title: "Run this now, and do not ask again for exactly this in this session",
      tone: "plain",
    },
    always: { label: "Always allow", title: "Never ask again for exactly this", tone: "plain" },
    deny: { label: "Deny", title: "Do not run it", tone: "danger" },
  };
const RISK: Record<ToolItem["risk"], string> = {
  none: "changes nothing",
  read: "reads files",
  write: "changes files",
  execute: "runs a command with your rights",
};
const LONG_LINES = 12;
const LONG_CHARACTERS = 1_200;

export function ApprovalCard({ request, runId, tool }: RequestProps) {
  const { api } = useApp();
  const { state, send } = useAnswer();
  const [feedback, setFeedback] = useState("");
  const plan = tool ? planText(tool) : request.prompt;
  const long = plan.length > LONG_CHARACTERS || plan.split("\n").length > LONG_LINES;
  const [expanded, setExpanded] = useState(!long);

  const answer = (choice: ApprovalChoice) =>
    send(choice, (command_id) =>
      api.respondApproval(
        { runId, approvalId: request.id },
        {
          choice,
          command_id,
          ...(request.planHash !== null && { plan_hash: request.planHash }),
          ...(feedback.trim() !== "" && { feedback: feedback.trim() }),
        },
      ),
    );
  return (
    <section
      className={styles.card}
      data-kind="approval"
      data-status={state.status}
      aria-label="Approval"
    >
      <p className={styles.title}>{visibleText(request.title)}</p>
      <pre className={styles.plan} data-status={expanded ? "whole" : "cut"} tabIndex={0}>
        {visibleText(plan)}
      </pre>
      {!expanded && (
        <Button tone="quiet" onClick={() => setExpanded(true)}>
          Show all of it to decide
        </Button>
      )}
      {tool && (
        <p className={styles.where}>
          {tool.name} {RISK[tool.risk]} in <code>{visibleText(tool.plan.workspace)}</code>
        </p>
      )}
      <div className={styles.choices}>
        <Choices
          request={request}
          locked={!expanded}
          sending={state.status === "sending"}
          onAnswer={answer}
        />
        <input
          className={styles.feedback}
          value={feedback}
          maxLength={8_192}
          placeholder="Note for the agent (optional)"
          aria-label="Note for the agent (optional)"
          onChange={(event) => setFeedback(event.target.value)}
        />
      </div>
      <AnswerNote state={state} />
    </section>
  );
}

type ChoicesProps = {
  request: RequestProps["request"];
  locked: boolean; // not all of the plan has been seen: only "no" is possible
  sending: boolean;
  onAnswer: (choice: ApprovalChoice) => void;
};

function Choices({ request, locked, sending, onAnswer }: ChoicesProps) {
  return (request.choices as readonly ApprovalChoice[]).map((choice) => (
    <Button
      key={choice}
      tone={CHOICE[choice].tone ?? "plain"}
      title={CHOICE[choice].title}
      disabled={sending || (locked && choice !== "deny")}
      onClick={() => onAnswer(choice)}
    >
      {CHOICE[choice].label}
    </Button>
  ));
}

/** The command itself where there is one; otherwise every argument. */
function planText(tool: ToolItem): string {
  const command = textArgument(tool, "command");
  const { arguments: given } = tool.plan;
  const only = typeof given === "object" && given !== null && Object.keys(given).length === 1;
  return command !== null && only ? command : JSON.stringify(given, null, 2);
}
