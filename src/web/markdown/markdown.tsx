// What a model wrote, as prose. Each block is drawn once and again only when its own source changes.
import { memo, useMemo } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { blocksOf, type Block } from "./blocks.ts";
import styles from "./markdown.module.css";
import { trustedHtml } from "./sanitize.ts";

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
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

const MarkdownBlock = memo(function MarkdownBlock({ block }: { block: Block }) {
  if (block.kind === "code") return <CodeBlock text={block.text} lang={block.lang} />;
  return <div dangerouslySetInnerHTML={{ __html: trustedHtml(block.html) }} />;
}, sameBlock);

function CodeBlock({ text, lang }: { text: string; lang: string }) {
  return (
    <figure className={styles.code}>
      <figcaption>
        <span>{lang}</span>
        <CopyButton text={text} what="code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

function sameBlock({ block: a }: { block: Block }, { block: b }: { block: Block }): boolean {
  if (a.kind === "html") return b.kind === "html" && a.html === b.html;
  return b.kind === "code" && a.text === b.text && a.lang === b.lang;
}
