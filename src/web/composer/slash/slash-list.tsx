// The completion list above the field, which keeps the focus (ARIA listbox).
import { useEffect, useRef } from "react";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { plural } from "../../text/format.ts";
import type { Completion, Option } from "./complete.ts";
import styles from "./slash.module.css";

export const LIST_ID = "slash-list";
export const optionId = (index: number) => `slash-option-${index}`;

type SlashListProps = {
  completion: Completion;
  active: number; // -1: none
  onChoose: (option: Option) => void;
};

export function SlashList({ completion: { of, options }, active, onChoose }: SlashListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div className={styles.popup}>
      <div
        ref={list}
        id={LIST_ID}
        role="listbox"
        className={styles.list}
        aria-label={of === "command" ? "Commands" : "Choices"}
        tabIndex={0} // it may be taller than its place: then it can be scrolled by keys
      >
        {options.map((option, index) => (
          // Chosen by keys from the field, which has the focus.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={option.text}
            id={optionId(index)}
            role="option"
            className={styles.option}
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
            onClick={() => onChoose(option)}
          >
            <span className={styles.label}>
              {visibleLine(option.label)} <span className={styles.hint}>{option.hint}</span>
            </span>
            <span className="muted">{option.note}</span>
          </div>
        ))}
      </div>
      <span className="visually-hidden" role="status">
        {plural(options.length, of === "command" ? "command" : "choice")}
      </span>
    </div>
  );
}
