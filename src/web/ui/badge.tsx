// A badge. The state itself is in `data-status`, for styles and tests.
import type { ReactNode } from "react";
import styles from "./badge.module.css";

export type Tone = "neutral" | "busy" | "good" | "warning" | "bad";

type BadgeProps = {
  tone: Tone;
  status: string;
  title?: string | undefined;
  dot?: boolean;
  children: ReactNode;
};

export function Badge({ tone, status, title, dot = false, children }: BadgeProps) {
  return (
    <span className={styles.badge} data-tone={tone} data-status={status} title={title}>
      {dot && <span className={styles.dot} aria-hidden="true" />}
      {children}
    </span>
  );
}
