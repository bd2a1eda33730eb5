// A command and its output, as in a terminal.
import { useLayoutEffect, useRef } from "react";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { ansiRuns } from "../text/ansi.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { BoundedOutput } from "./bounded-output.tsx";
import styles from "./card.module.css";
import { textArgument } from "../../kernel/state/tools/arguments.ts";

export function ExecBody({ item }: { item: ToolItem }) {
  const command = textArgument(item, "command") ?? "";
  const asking = item.request !== null && item.request.answer === null;
  return (
    <>
      {command.includes("\n") && !asking && (
        <pre className={styles.command}>{visibleText(command)}</pre>
      )}
      {item.output ? (
        <BoundedOutput output={item.output} render={(text) => <Terminal text={text} />} />
      ) : (
        item.live !== "" && <Terminal text={item.live} />
      )}
    </>
  );
}

function Terminal({ text }: { text: string }) {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  if (text === "") return null;
  return (
    <pre
      ref={box}
      className={styles.terminal}
      tabIndex={0}
      aria-label="Output"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollTop + clientHeight > scrollHeight - 24;
      }}
    >
      {ansiRuns(text).map((run, index) => (
        // Output only grows at its end: the position is the identity.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} data-color={run.color} data-bold={run.bold || undefined}>
          {run.text}
        </span>
      ))}
    </pre>
  );
}
