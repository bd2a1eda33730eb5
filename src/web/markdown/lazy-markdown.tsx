// Markdown without making the first screen wait for it: fetched as soon as the page runs. Until it is
// here, and also if it never comes, the text is shown as it was written.
import { lazy, Suspense } from "react";
import styles from "./markdown.module.css";

const loading = import("./markdown.tsx").then(
  ({ Markdown }) => Markdown,
  () => PlainText,
);
const Markdown = lazy(async () => ({ default: await loading }));

export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
}

function PlainText({ text }: { text: string }) {
  return <p className={styles.plain}>{text}</p>;
}
