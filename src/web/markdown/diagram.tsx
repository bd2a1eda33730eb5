// A diagram as an image with its source. What cannot be drawn is shown as source.
import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Source, type Code } from "./code-block.tsx";
import styles from "./code.module.css";
import { drawDiagram, type Drawing } from "./diagrams.ts";

type State = Drawing | "drawing" | "failed";
const drawings = new Map<string, Drawing>(); // rows come and go with scrolling

export function Diagram(code: Code) {
  const { text } = code;
  const dark = isDark();
  const key = `${dark} ${text}`;
  const [state, setState] = useState<State>(() => drawings.get(key) ?? "drawing");
  const [asSource, setAsSource] = useState(false);
  useEffect(() => {
    if (drawings.has(key)) return;
    let gone = false;
    void drawDiagram(text, dark).then((drawing) => {
      if (drawing) drawings.set(key, drawing);
      if (!gone) setState(drawing ?? "failed");
    });
    return () => {
      gone = true;
    };
  }, [key, text, dark]);

  if (state === "drawing") return <Source {...code} />;
  if (state === "failed") return <Source {...code} note="This diagram cannot be drawn." />;
  const toggle = (
    <Button tone="quiet" aria-pressed={asSource} onClick={() => setAsSource(!asSource)}>
      Source
    </Button>
  );
  if (asSource) return <Source {...code} actions={toggle} />;
  return (
    <figure className={styles.code} data-status="drawn">
      <figcaption>
        <span className="flex-1 min-w-0 ellipsis">diagram</span>
        {toggle}
        <CopyButton text={text} what="code" />
      </figcaption>
      <div className={styles.picture} tabIndex={0} role="group" aria-label="Diagram">
        <img
          src={state.src}
          width={state.width}
          height={state.height}
          alt="Diagram; its source is one press away"
        />
      </div>
    </figure>
  );
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "dark" || chosen === "light") return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
