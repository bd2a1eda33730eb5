// A value exactly as it is, readable and with nothing hidden in it. Long ones show their beginning until
// someone wants the rest; a copy is always the whole.
import { useMemo, useState } from "react";
import { visibleJson } from "../../kernel/text/visible-text.ts";
import { bytes } from "../text/format.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import styles from "./json-block.module.css";

const FIRST = 8_000; // characters

export function JsonBlock({ name, value }: { name: string; value: unknown }) {
  const text = useMemo(() => (value === undefined ? "" : visibleJson(value)), [value]);
  return <TextBlock name={name} text={text} />;
}

export function TextBlock({ name, text }: { name: string; text: string }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > FIRST * 1.5;
  return (
    <div className="stack min-w-0">
      <div className="row justify-between hint">
        <span>{name}</span>
        <CopyButton text={text} what={name.toLowerCase()} />
      </div>
      <pre className={styles.text} tabIndex={0} aria-label={name}>
        {cut ? text.slice(0, FIRST) : text}
      </pre>
      {cut && (
        <Button tone="quiet" onClick={() => setWhole(true)}>
          Show all of it ({bytes(text.length)})
        </Button>
      )}
    </div>
  );
}
