// Loads the markdown renderer with the page. Until then, or if that fails, plain text is shown.
import { lazy, Suspense, useState, type ComponentType } from "react";
import { harmless } from "../text/harmless.ts";
import type { MarkdownProps } from "./markdown.tsx";
import styles from "./markdown.module.css";

const loading = import("./markdown.tsx").then(
  ({ Markdown }) => Markdown,
  () => PlainText,
);
const Markdown = lazy(async () => ({ default: await loading }));
let loaded: ComponentType<MarkdownProps> | null = null;

/** Resolves when it is loaded, so that the first render can include it. */
export const markdownLoaded: Promise<void> = loading.then((component) => {
  loaded = component;
});

export function LazyMarkdown(props: MarkdownProps) {
  const [Shown] = useState(() => loaded ?? Markdown); // for good: another one would begin anew
  return (
    <Suspense fallback={<PlainText {...props} />}>
      <Shown {...props} />
    </Suspense>
  );
}

function PlainText({ text }: MarkdownProps) {
  return <p className={styles.plain}>{harmless(text)}</p>;
}
