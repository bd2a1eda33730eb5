// What to look for in the workspace: names of files and lines in them.
import { useRef, useState, type KeyboardEvent } from "react";
import type { FindWish } from "../../kernel/client/calls/workspace-calls.ts";
import { useAction } from "../keys/actions.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./find.module.css";
import { isComposing } from "../keys/composing.ts";

type FindBoxProps = {
  wish: FindWish;
  onWish: (wish: FindWish) => void;
  onFocus: () => void;
};

export function FindBox({ wish, onWish, onFocus }: FindBoxProps) {
  const field = useRef<HTMLInputElement>(null);
  const [more, setMore] = useState(false);
  useAction({
    id: "files.find",
    title: "Find in files",
    section: "Go to",
    keys: ["mod+shift+f"],
    run: () => field.current?.focus(),
  });
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape" && wish.q !== "") {
      event.preventDefault(); // the panel stays
      onWish({ ...wish, q: "" });
    }
    if (event.key === "ArrowDown") {
      event.preventDefault();
      document.querySelector<HTMLElement>("[data-found]")?.focus();
    }
  };
  return (
    <search className="stack gap-s flex-none p-m line-below">
      <div className={styles.field}>
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          value={wish.q}
          placeholder="Find files and lines"
          aria-label="Find in files"
          spellCheck={false}
          autoComplete="off"
          maxLength={1_000}
          onFocus={onFocus}
          onKeyDown={onKeyDown}
          onChange={(event) => onWish({ ...wish, q: event.target.value })}
        />
        <Button
          tone="quiet"
          size="icon"
          icon="sliders"
          aria-label="Search options"
          aria-expanded={more}
          title="Search options"
          onClick={() => setMore(!more)}
        />
      </div>
      {more && <Options wish={wish} onWish={onWish} />}
    </search>
  );
}

function Options({ wish, onWish }: Pick<FindBoxProps, "wish" | "onWish">) {
  return (
    <div className={styles.options}>
      <label className="row gap-m target">
        <input
          type="checkbox"
          checked={wish.regex ?? false}
          onChange={(event) => onWish({ ...wish, regex: event.target.checked })}
        />
        Regular expression
      </label>
      <label className={styles.glob}>
        <span>Only files like</span>
        <input
          type="text"
          value={wish.glob ?? ""}
          placeholder="*.ts, src/**"
          spellCheck={false}
          autoComplete="off"
          maxLength={500}
          onChange={(event) => onWish({ ...wish, glob: event.target.value || undefined })}
        />
      </label>
    </div>
  );
}
