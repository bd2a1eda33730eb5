// Where words to look for are written. Escape empties it, and then leaves it; the arrow goes to what was found.
import type { KeyboardEvent, RefObject } from "react";
import { Icon } from "../ui/icon.tsx";
import styles from "./sidebar.module.css";
import { isComposing } from "../keys/composing.ts";

type SearchBoxProps = {
  field: RefObject<HTMLInputElement>;
  text: string;
  onChange: (text: string) => void;
};

export function SearchBox({ field, text, onChange }: SearchBoxProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape") {
      if (text === "") event.currentTarget.blur();
      else event.stopPropagation(); // once for the words, once more for the drawer
      onChange("");
    }
    if (event.key !== "ArrowDown" || event.altKey) return;
    event.preventDefault();
    event.currentTarget.closest("nav")?.querySelector<HTMLElement>("ul a")?.focus();
  };
  return (
    <label className={styles.search}>
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        value={text}
        maxLength={200}
        placeholder="Search"
        aria-label="Search sessions and messages"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}
