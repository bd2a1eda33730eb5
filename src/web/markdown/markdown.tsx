// Markdown of a model. Each block is drawn again only when its source changes.
import { memo, useMemo, useState, useEffect } from "react";
import { harmless } from "../text/harmless.ts";
import { grow, htmlOf, type Block, type DrawFormula, type Growing } from "./blocks.ts";
import { CodeBlock } from "./code-block.tsx";
import styles from "./markdown.module.css";
import { createReadTexts } from "./read-texts.ts";
import { trustedHtml } from "./sanitize.ts";

export type MarkdownProps = { readonly text: string; readonly streaming?: boolean };

export const Markdown = memo(function Markdown({ text, streaming = false }: MarkdownProps) {
  const blocks = useBlocks(text, streaming);
  return (
    <div className={styles.markdown}>
      {blocks.map((block, index) => (
        // Blocks are only ever appended or changed in place: the position is the identity.
        // oxlint-disable-next-line react/no-array-index-key
        <MarkdownBlock key={index} block={block} />
      ))}
    </div>
  );
});

const readText = createReadTexts();

function useBlocks(text: string, streaming: boolean): readonly Block[] {
  const [read] = useState(createReader);
  return useMemo(() => read(text, streaming), [read, text, streaming]);
}

/** A finished text is parsed once more as a whole, because its end can affect its beginning. */
function createReader(): (text: string, streaming: boolean) => readonly Block[] {
  let growing: Growing | null = null;
  return (text, streaming) => {
    if (!streaming) return readText(text);
    growing = grow(growing, text);
    return growing.blocks;
  };
}

const MarkdownBlock = memo(function MarkdownBlock({ block }: { block: Block }) {
  if (block.kind === "code") {
    return <CodeBlock text={block.text} lang={block.lang} closed={block.closed} />;
  }
  if (block.kind === "plain") return <p className={styles.plain}>{harmless(block.text)}</p>;
  return <Html block={block} />;
}, sameBlock);

function Html({ block }: { block: Block & { kind: "html" } }) {
  const draw = useMaths(block.maths);
  return <div dangerouslySetInnerHTML={{ __html: drawn(block, draw) }} />;
}

type HtmlBlock = Block & { kind: "html" };
type Drawn = { readonly draw: DrawFormula | null; readonly html: string };
const drawnBlocks = new WeakMap<HtmlBlock, Drawn>();

function drawn(block: HtmlBlock, draw: DrawFormula | null): string {
  const known = drawnBlocks.get(block);
  if (known?.draw === draw) return known.html;
  const html = trustedHtml(htmlOf(block, draw));
  drawnBlocks.set(block, { draw, html });
  return html;
}

function sameBlock({ block: a }: { block: Block }, { block: b }: { block: Block }): boolean {
  if (a === b) return true;
  if (a.kind === "html") return b.kind === "html" && a.html === b.html;
  if (a.kind === "plain") return b.kind === "plain" && a.text === b.text;
  return b.kind === "code" && a.text === b.text && a.lang === b.lang && a.closed === b.closed;
}

// Loads the formula renderer on first use; until then the source is shown.
let loaded: DrawFormula | null = null;

function useMaths(wanted: boolean): DrawFormula | null {
  const [draw, setDraw] = useState<DrawFormula | null>(() => loaded);
  useEffect(() => {
    if (!wanted || draw) return;
    let gone = false;
    import("./maths.ts").then(
      ({ drawFormula }) => {
        loaded = drawFormula;
        if (!gone) setDraw(() => drawFormula);
      },
      () => {}, // not to be had: the source stays
    );
    return () => {
      gone = true;
    };
  }, [wanted, draw]);
  return draw;
}
