// The head of a file: path and actions.
import { useRef, useState, type SubmitEvent } from "react";
import { useAction } from "../keys/actions.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import type { IconName } from "../ui/icon.tsx";
import type { FilePages } from "./file/pages.ts";
import type { Range } from "./file/viewer.tsx";
import { folderOf, nameOf, visiblePath } from "./open-file.ts";
import styles from "./viewer.module.css";

type ViewerHeadProps = {
  path: string;
  pages: FilePages | null;
  range: Range | null;
  back: { readonly label: string; readonly go: () => void };
  wrap: boolean;
  onWrap: () => void;
  onLine: (line: number) => void;
  editing: boolean;
  onEdit: (() => void) | null; // null: what is shown is of the past
};

export function ViewerHead(props: ViewerHeadProps) {
  const { path, pages, range, back, wrap, onWrap, onLine, editing, onEdit } = props;
  const title = wrap ? "Do not wrap lines" : "Wrap lines";
  useAction({ id: "file.wrap", title, section: "View", run: onWrap });
  const folder = folderOf(path);
  return (
    <header className="stack gap-s p-item">
      <div className="row gap-s min-w-0">
        <IconButton icon="back" label={back.label} onClick={back.go} />
        <h2 className={styles.path} title={visiblePath(path)}>
          {folder !== "." && <span className={styles.folder}>{visiblePath(folder)}/</span>}
          <span>{visiblePath(nameOf(path))}</span>
        </h2>
      </div>
      <div className={styles.tools}>
        {!editing && onEdit && (
          <Button tone="quiet" icon="pencil" onClick={onEdit}>
            Edit
          </Button>
        )}
        <GoToLine onLine={onLine} />
        <Button tone="quiet" aria-pressed={wrap} onClick={onWrap}>
          Wrap
        </Button>
        <CopyButton text={range ? `${path}:${range.from}` : path} what="path" />
        <CopyContent pages={pages} range={range} />
        <IconButton icon="again" label="Read the file again" onClick={() => pages?.again()} />
      </div>
    </header>
  );
}

type IconButtonProps = { icon: IconName; label: string; onClick: () => void };

function IconButton({ icon, label, onClick }: IconButtonProps) {
  const shown = { icon, title: label, "aria-label": label };
  return <Button tone="quiet" size="icon" {...shown} onClick={onClick} />;
}

function GoToLine({ onLine }: { onLine: (line: number) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const focus = () => field.current?.focus();
  useAction({ id: "file.line", title: "Go to line", section: "View", keys: ["mod+g"], run: focus });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const line = Number(field.current?.value);
    if (Number.isInteger(line) && line > 0) onLine(line);
  };
  return (
    <form onSubmit={submit}>
      <input
        ref={field}
        className={styles.goto}
        type="text"
        inputMode="numeric"
        placeholder="Line"
        aria-label="Go to line"
        maxLength={9}
      />
    </form>
  );
}

type Copying = "idle" | "copied" | "refused" | "too much";
const WORDS: Record<Copying, string> = {
  idle: "Copy text",
  copied: "Copied",
  refused: "Not allowed",
  "too much": "Too large",
};

/** The selected lines, or everything. */
function CopyContent({ pages, range }: { pages: FilePages | null; range: Range | null }) {
  const [state, setState] = useState<Copying>("idle");
  const copy = async (): Promise<Copying> => {
    const text = await pages?.all();
    if (text === null || text === undefined) return "too much";
    const lines = text.split("\n");
    await navigator.clipboard.writeText(
      range ? lines.slice(range.from - 1, range.to).join("\n") : text,
    );
    return "copied";
  };
  const press = () => {
    copy()
      .catch((): Copying => "refused")
      .then(setState)
      .catch(() => undefined); // setState does not throw
  };
  const label = range && range.to > range.from ? "Copy lines" : range ? "Copy line" : WORDS.idle;
  return (
    <Button
      tone="quiet"
      icon={state === "copied" ? "check" : "copy"}
      onClick={press}
      onBlur={() => setState("idle")}
    >
      {state === "idle" ? label : WORDS[state]}
    </Button>
  );
}
