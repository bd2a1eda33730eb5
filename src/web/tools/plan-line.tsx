// A step in the plan or the to-do list, as one line; the panel above the transcript shows the whole.
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { useRun } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./tool-card.module.css";
import { numberArgument, textArgument } from "../../kernel/state/tools/arguments.ts";
import { TOOL_DISPLAY } from "../../kernel/state/tools/display.ts";

const ACTION: Readonly<Record<string, (step: string, item: ToolItem) => string>> = {
  create: (_step, item) => `Made a plan: ${textArgument(item, "goal") ?? ""}`,
  step_started: (step) => `Started ${step}`,
  step_completed: (step) => `Finished ${step}`,
  complete: () => "Completed the plan",
};

export function PlanLine({ item, runId }: { item: ToolItem; runId: string }) {
  const index = numberArgument(item, "index");
  const name = useRun(runId, ({ plan }) => plan?.steps[(index ?? 0) - 1]?.name);
  const step = name === undefined ? `step ${index ?? ""}` : `step ${index}: ${name}`;
  const say = ACTION[textArgument(item, "action") ?? ""];
  return <Line item={item} text={say ? say(step, item) : item.label} />;
}

export function TodoLine({ item }: { item: ToolItem }) {
  const { items } = item.plan.arguments as { items?: unknown };
  const count = Array.isArray(items) ? items.length : 0;
  return <Line item={item} text={`Updated the to-do list: ${plural(count, "item")}`} />;
}

function Line({ item, text }: { item: ToolItem; text: string }) {
  return (
    <p className={styles.line} data-status={item.status}>
      <Icon name={TOOL_DISPLAY.plan.icon} />
      {visibleLine(text)}
    </p>
  );
}
