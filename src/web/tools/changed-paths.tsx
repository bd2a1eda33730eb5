// Which files a call changed. A call that named its one file says so in its title already.
import type { FileChange } from "../../kernel/events/catalogue/files.ts";
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { FileLink } from "../workspace/file-link.tsx";
import styles from "./tool-card.module.css";
import { textArgument } from "../../kernel/state/tools/arguments.ts";

const LISTED = 6;

export function ChangedPaths({ item }: { item: ToolItem }) {
  const { changes } = item;
  const [only] = changes;
  const named = changes.length === 1 && only?.path === textArgument(item, "path");
  if (changes.length === 0 || named || item.name === "rollback") return null;
  return (
    <p className={styles.changed}>
      Changed{" "}
      {changes.slice(0, LISTED).map((change) => (
        <span key={change.path}>
          <FileLink path={change.path} />
          {whatOf(change)}
        </span>
      ))}
      {changes.length > LISTED && <span>and {changes.length - LISTED} more</span>}
    </p>
  );
}

function whatOf({ before, after }: FileChange): string {
  if (before === null) return " (new)";
  return after === null ? " (deleted)" : "";
}
