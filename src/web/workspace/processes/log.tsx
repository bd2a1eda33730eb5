// The output of a background command. Follows the end while it is at the end.
import { Fragment, useLayoutEffect, useMemo, useRef, useState } from "react";
import { ansiRuns } from "../../text/ansi.ts";
import { bytes } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import type { LogPart } from "./fold.ts";
import tools from "../../tools/card.module.css"; // the colours of a terminal
import styles from "./processes.module.css";

const NEAR_END = 24;

export function LogView({ parts, name }: { parts: readonly LogPart[]; name: string }) {
  const box = useRef<HTMLPreElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  useLayoutEffect(() => {
    if (atEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [parts, atEnd]);
  return (
    <div className={styles.frame}>
      <pre
        ref={box}
        className={`${tools.terminal} ${styles.log}`}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={`Output of ${name}`}
        data-status={atEnd ? "following" : "reading"}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setAtEnd(scrollTop + clientHeight > scrollHeight - NEAR_END)
        }
      >
        {parts.map((part, index) => (
          <Fragment key={part.from}>
            <Gap from={index === 0 ? 0 : (parts[index - 1]?.to ?? 0)} to={part.from} />
            <Part text={part.text} />
          </Fragment>
        ))}
      </pre>
      {!atEnd && (
        <div className={styles.jump}>
          <Button icon="down" onClick={() => setAtEnd(true)}>
            To the end
          </Button>
        </div>
      )}
    </div>
  );
}

function Gap({ from, to }: { from: number; to: number }) {
  if (to <= from) return null;
  return <span className={styles.gap}>{bytes(to - from)} not shown</span>;
}

function Part({ text }: { text: string }) {
  const runs = useMemo(() => ansiRuns(text), [text]);
  return runs.map((run, index) => (
    // Output only grows at its end: the position is the identity.
    // oxlint-disable-next-line react/no-array-index-key
    <span key={index} data-color={run.color} data-bold={run.bold || undefined}>
      {run.text}
    </span>
  ));
}
