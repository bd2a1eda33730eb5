// Markdown without making the first screen wait for it: fetched as soon as the page runs. Until it is
// here, and also if it never comes, the text is shown as it was written.
import { lazy, Suspense } from "react";
import { harmless } from "../text/harmless.ts";
import type { MarkdownProps } from "./markdown.tsx";
import styles from "./markdown.module.css";

const loading = import("./markdown.tsx").then(
  ({ Markdown }) => Markdown,
  () => PlainText,
);
const Markdown = lazy(async () => ({ default: await loading }));

export function LazyMarkdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<PlainText {...props} />}>
      <Markdown {...props} />
    </Suspense>
  );
}

function PlainText({ text }: MarkdownProps) {
  return <p className={styles.plain}>{harmless(text)}</p>;
}
