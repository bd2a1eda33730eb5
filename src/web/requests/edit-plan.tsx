// Edits the plan before allowing it. An edited plan is allowed once only.
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { editable, edited, type Edited } from "./plan-text.ts";
import styles from "./requests.module.css";

type Arguments = Extract<Edited, { ok: true }>["arguments"];
type EditPlanProps = {
  tool: ToolItem;
  sending: boolean;
  onAllow: (given: Arguments) => void;
  onDeny: () => void;
  onCancel: () => void;
  children: ReactNode;
};

export function EditPlan({ tool, sending, onAllow, onDeny, onCancel, children }: EditPlanProps) {
  const [start] = useState(() => editable(tool));
  const [text, setText] = useState(start.text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const plan = edited(tool, { ...start, text });
  return (
    <>
      <textarea
        ref={field}
        className={styles.edit}
        rows={3}
        spellCheck={false}
        value={text}
        aria-label={start.as === "command" ? "Command to run" : "Arguments as JSON"}
        onChange={(event) => setText(event.target.value)}
      />
      <Problem text={plan.ok ? null : plan.problem} />
      <div className="flex flex-wrap gap-m" data-part="choices">
        <Button
          tone="primary"
          title="Run what is written here, once"
          disabled={sending || !plan.ok}
          onClick={() => plan.ok && onAllow(plan.arguments)}
        >
          Allow edited once
        </Button>
        <Button tone="danger" disabled={sending} onClick={onDeny}>
          Deny
        </Button>
        <Button tone="quiet" disabled={sending} onClick={onCancel}>
          Do not edit
        </Button>
        {children}
      </div>
    </>
  );
}
