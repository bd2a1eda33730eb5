// What a person said, as they wrote it.
import type { UserItem } from "../../protocol/run-items.ts";
import { exactTime } from "../text/format.ts";
import styles from "./items.module.css";

const MODE: Record<UserItem["mode"], string | null> = {
  start: null,
  queue: "Queued message",
  steer: "Said while it ran",
};

export function UserMessage({ item }: { item: UserItem }) {
  const label = MODE[item.mode];
  return (
    <div className={styles.user} title={exactTime(item.at)}>
      {label && <span className={styles.label}>{label}</span>}
      <p className={styles.words} data-part="text">
        {item.text}
      </p>
    </div>
  );
}
