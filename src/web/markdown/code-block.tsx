// A code block: language, copy, wrap. A diagram is drawn once it is complete, and its source stays available.
import { Suspense, type ReactNode } from "react";
import { lazyPart } from "../ui/lazy-part.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { CodeLines } from "./code-lines.tsx";
import styles from "./code.module.css";
import { useWrap } from "./wrap.ts";

const Diagram = lazyPart(() => import("./diagram.tsx"), "Diagram");

export type Code = { readonly text: string; readonly lang: string; readonly closed: boolean };

export function CodeBlock(code: Code) {
  const isDiagram = code.lang.toLowerCase() === "mermaid" && code.closed;
  if (!isDiagram) return <Source {...code} />;
  return (
    <Suspense fallback={<Source {...code} />}>
      <Diagram {...code} />
    </Suspense>
  );
}

type SourceProps = Code & { readonly actions?: ReactNode; readonly note?: string };

export function Source({ text, lang, closed, actions, note }: SourceProps) {
  const [wrap, toggleWrap] = useWrap();
  return (
    <figure className={styles.code} data-wrap={wrap || undefined}>
      <figcaption>
        <span className="flex-1 min-w-0 ellipsis">{visibleLine(lang) || "text"}</span>
        {actions}
        <Button tone="quiet" aria-pressed={wrap} onClick={toggleWrap}>
          Wrap
        </Button>
        <CopyButton text={text} what="code" />
      </figcaption>
      <pre tabIndex={0}>
        {/* Highlighted once complete: recolouring at every token would flicker. */}
        <code>{closed ? <CodeLines text={text} lang={lang} /> : visibleText(text)}</code>
      </pre>
      {note !== undefined && <p className="p-tab hint">{note}</p>}
    </figure>
  );
}
