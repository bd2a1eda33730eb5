// The search form for file names and lines.
import { useRef, useState, type KeyboardEvent } from "react";
import type { FindQuery } from "../../kernel/client/calls/workspace-calls.ts";
import { useAction } from "../keys/actions.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./find.module.css";
import { isComposing } from "../keys/composing.ts";

type FindBoxProps = {
  request: FindQuery;
  onRequest: (request: FindQuery) => void;
  onFocus: () => void;
};

export function FindBox({ request, onRequest, onFocus }: FindBoxProps) {
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
    if (event.key === "Escape" && request.q !== "") {
      event.preventDefault(); // the panel stays
      onRequest({ ...request, q: "" });
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
          value={request.q}
          placeholder="Find files and lines"
          aria-label="Find in files"
          spellCheck={false}
          autoComplete="off"
          maxLength={1_000}
          onFocus={onFocus}
          onKeyDown={onKeyDown}
          onChange={(event) => onRequest({ ...request, q: event.target.value })}
        />
        <IconButton
          icon="sliders"
          label="Search options"
          aria-expanded={more}
          title="Search options"
          onClick={() => setMore(!more)}
        />
      </div>
      {more && <Options request={request} onRequest={onRequest} />}
    </search>
  );
}

function Options({ request, onRequest }: Pick<FindBoxProps, "request" | "onRequest">) {
  return (
    <div className={styles.options}>
      <label className="row gap-m target">
        <input
          type="checkbox"
          checked={request.regex ?? false}
          onChange={(event) => onRequest({ ...request, regex: event.target.checked })}
        />
        Regular expression
      </label>
      <label className={styles.glob}>
        <span>Only files like</span>
        <input
          className="input flex-1"
          type="text"
          value={request.glob ?? ""}
          placeholder="*.ts, src/**"
          spellCheck={false}
          autoComplete="off"
          maxLength={500}
          onChange={(event) => onRequest({ ...request, glob: event.target.value || undefined })}
        />
      </label>
    </div>
  );
}
