// What can be unfolded on a tool card: what it read, wrote or answered, and the call exactly as it was.
import type { ToolItem } from "../../protocol/run-items.ts";
import { visibleText } from "../text/visible-text.ts";
import { BoundedOutput } from "./bounded-output.tsx";
import type { Fold } from "./folds.tsx";
import styles from "./tool-card.module.css";
import { linesOf, textArgument, type ToolKind } from "./tool-kind.ts";

const CONTENT: Record<ToolKind, (item: ToolItem) => Fold | null> = {
  exec: () => null, // a terminal is never folded away
  read: (item) => outputFold(item, "read"),
  write: (item) => {
    const content = textArgument(item, "content");
    if (content === null) return null;
    return { name: linesOf(content), content: () => <Lines text={content} /> };
  },
  delegate: () => null,
  clarify: () => null,
  plan: () => null,
  todo: () => null,
  other: (item) => outputFold(item, "answer"),
};

export function foldsOf(item: ToolItem, kind: ToolKind): Fold[] {
  const content = CONTENT[kind](item);
  const raw: Fold = { name: "Raw", content: () => <Raw item={item} /> };
  return content ? [content, raw] : [raw];
}

function outputFold({ output }: ToolItem, what: string): Fold | null {
  if (!output || output.head === "") return null;
  return {
    name: `${what === "answer" ? "Answer, " : ""}${linesOf(output.head + output.tail)}`,
    content: () => <BoundedOutput output={output} render={(text) => <Lines text={text} />} />,
  };
}

function Raw({ item }: { item: ToolItem }) {
  return (
    <>
      <Lines text={JSON.stringify(item.plan, null, 2)} />
      <p className={styles.hash}>SHA-256 of the plan: {item.planHash}</p>
      {item.result !== null && <Lines text={JSON.stringify(item.result, null, 2)} />}
    </>
  );
}

function Lines({ text }: { text: string }) {
  return (
    <pre className={styles.lines} tabIndex={0}>
      {visibleText(text)}
    </pre>
  );
}
