// An approval: what will run, where, with which risk and why; then the choices. The answer is bound to the
// shown plan, and a long plan must be seen in full first.
import { useState, type KeyboardEvent } from "react";
import type { ApprovalChoice } from "../../kernel/events/catalogue/human.ts";
import type { RespondApproval } from "../../kernel/events/commands.ts";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { useApp } from "../app-context.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { Button } from "../ui/button.tsx";
import { AlwaysScope } from "./always-scope.tsx";
import { AnswerNote } from "./answer-note.tsx";
import {
  ApprovalChoices,
  APPROVAL_KEY,
  CHOICE,
  type ApprovalChoicesProps,
} from "./approval-choices.tsx";
import { CopyRequestLink } from "./copy-request-link.tsx";
import { Countdown } from "./countdown.tsx";
import { EditPlan } from "./edit-plan.tsx";
import { planText } from "./plan-text.ts";
import type { CardProps } from "./request-card.tsx";
import styles from "./requests.module.css";
import { useAnswer } from "./use-answer.ts";
import { useSeen, type WhenSeen } from "./use-seen.ts";
import { isComposing } from "../keys/composing.ts";
import { useAction } from "../keys/actions.ts";

const RISK: Record<ToolItem["risk"], string> = {
  none: "changes nothing",
  read: "reads files",
  write: "changes files",
  execute: "runs a command with your rights",
  network: "uses the network",
};
const LONG_LINES = 12;
const LONG_CHARACTERS = 1_200;

export function ApprovalCard({ request, runId, tool, keys, ...rest }: CardProps) {
  const { status: server } = useApp();
  const { card, whenSeen } = useSeen();
  const [feedback, setFeedback] = useState("");
  const [editing, setEditing] = useState(false);
  const { state, answer } = useApprovalAnswer({ request, runId, ...rest }, feedback.trim());
  const sending = state.status === "sending";
  const stopEditing = () => {
    setEditing(false);
    card.current?.focus({ preventScroll: true }); // the field that had it is gone
  };
  const note = <Feedback text={feedback} onChange={setFeedback} />;
  return (
    // Esc belongs to what is being edited, not to the run.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={card}
      tabIndex={-1}
      onKeyDown={(event) => editing && onEscape(event, sending ? null : stopEditing)}
      className={styles.card}
      data-kind="approval"
      data-status={state.status}
      aria-label="Approval"
    >
      <div className="row justify-between gap-m">
        <p className="bold">{visibleText(request.title)}</p>
        <CopyRequestLink requestId={request.id} />
      </div>
      {request.reason && <p className="break-anywhere">{visibleText(request.reason)}</p>}
      {tool && editing ? (
        <EditPlan
          tool={tool}
          sending={sending}
          onAllow={(given) => answer("once", { arguments: given })}
          onDeny={() => answer("deny")}
          onCancel={stopEditing}
        >
          {note}
        </EditPlan>
      ) : (
        <Decide
          text={tool ? planText(tool) : request.prompt}
          about={tool && <About tool={tool} sandboxed={server?.sandbox === "bubblewrap"} />}
          request={request}
          keys={keys}
          sending={sending}
          whenSeen={whenSeen}
          onAnswer={answer}
          {...(tool && { onEdit: () => setEditing(true) })}
        >
          {note}
        </Decide>
      )}
      {request.expiresAt !== null && <Countdown until={request.expiresAt} />}
      <AnswerNote state={state} />
    </section>
  );
}

type Given = Pick<RespondApproval, "arguments" | "pattern">;
type Asked = Pick<CardProps, "request" | "runId" | "onLate" | "onAct">;

function useApprovalAnswer({ request, runId, ...rest }: Asked, feedback: string) {
  const { api } = useApp();
  const { state, send } = useAnswer(rest);
  const answer = (choice: ApprovalChoice, given: Given = {}) =>
    send(JSON.stringify([choice, given]), (command_id) =>
      api.respondApproval(
        { runId, approvalId: request.id },
        {
          choice,
          command_id,
          ...given,
          ...(request.planHash !== null && { plan_hash: request.planHash }),
          ...(feedback !== "" && { feedback }),
        },
      ),
    );
  return { state, answer };
}

/** Esc must not stop the run here, even if there is nothing to cancel. */
function onEscape(event: KeyboardEvent, cancel: (() => void) | null): void {
  if (event.key !== "Escape" || isComposing(event.nativeEvent)) return;
  event.preventDefault();
  cancel?.();
}

function Feedback({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <input
      className="input min-w-0 p-tab grow-200"
      value={text}
      maxLength={8_192}
      placeholder="Add a note for the agent (optional)"
      aria-label="Add a note for the agent (optional)"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function About({ tool, sandboxed }: { tool: ToolItem; sandboxed: boolean }) {
  const risk =
    tool.risk === "execute" && sandboxed ? "runs a command in the sandbox" : RISK[tool.risk];
  return (
    <p className={styles.where}>
      {visibleText(tool.name)} {risk}
      {tool.risk !== "network" && (
        <>
          {" "}
          in <code>{visibleText(tool.plan.workspace)}</code>
        </>
      )}
    </p>
  );
}

type DecideProps = {
  text: string;
  about: React.ReactNode;
  request: CardProps["request"];
  keys: boolean;
  sending: boolean;
  whenSeen: WhenSeen;
  onAnswer: (choice: ApprovalChoice, given?: Given) => void;
  onEdit?: () => void;
  children: React.ReactNode;
};

function Decide(props: DecideProps) {
  const { text, about, request, keys, sending, whenSeen, onAnswer, onEdit, children } = props;
  const long = text.length > LONG_CHARACTERS || text.split("\n").length > LONG_LINES;
  const [expanded, setExpanded] = useState(!long);
  const [pattern, setPattern] = useState<number | null>(null);
  const choices = request.choices as readonly ApprovalChoice[];
  const choose = (choice: ApprovalChoice) =>
    onAnswer(choice, choice === "always" && pattern !== null ? { pattern } : {});
  const asked = { choices, locked: !expanded, sending, onAnswer: choose };
  return (
    <>
      <pre className={styles.plan} data-status={expanded ? "whole" : "cut"} tabIndex={0}>
        {visibleText(text)}
      </pre>
      {!expanded && (
        <Button tone="quiet" onClick={() => setExpanded(true)}>
          Show all of it to decide
        </Button>
      )}
      {about}
      {keys && <ApprovalKeys {...asked} whenSeen={whenSeen} />}
      <div className="flex flex-wrap gap-m" data-part="choices">
        <ApprovalChoices {...asked} keys={keys} />
        {onEdit && (
          <Button tone="quiet" icon="pencil" disabled={sending} onClick={onEdit}>
            Edit…
          </Button>
        )}
        {children}
      </div>
      <AlwaysScope request={request} pattern={pattern} onChange={setPattern} />
    </>
  );
}

// Keys of the oldest approval; they do exactly what its buttons do. Never a single letter, so that typing
// cannot approve anything.
type ApprovalKeysProps = Omit<ApprovalChoicesProps, "keys"> & { whenSeen: WhenSeen };
type Keyed = keyof typeof APPROVAL_KEY;

function ApprovalKeys(props: ApprovalKeysProps) {
  return (Object.keys(APPROVAL_KEY) as Keyed[])
    .filter((choice) => props.choices.includes(choice))
    .map((choice) => <ApprovalKey key={choice} choice={choice} {...props} />);
}

type ApprovalKeyProps = ApprovalKeysProps & { choice: Keyed };

function ApprovalKey({ choice, locked, sending, onAnswer, whenSeen }: ApprovalKeyProps) {
  const unseen = locked && choice !== "deny" ? "Show all of it first." : null;
  useAction({
    id: `approval.${choice}`,
    title: CHOICE[choice].label,
    section: "Run",
    keys: [APPROVAL_KEY[choice]],
    unavailable: sending ? "Your answer is on its way." : unseen,
    run: (by) => whenSeen(() => onAnswer(choice), by),
  });
  return null;
}
