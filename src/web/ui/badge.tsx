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

/** A state without a word; `title` names it on hover. */
export function ToneDot({ tone, title, pulse }: { tone: Tone; title: string; pulse?: boolean }) {
  const state = { "data-tone": tone, "data-pulse": pulse || undefined, title };
  return <span className={styles.toneDot} {...state} aria-hidden="true" />;
}

export function Badge({ tone, status, title, dot = false, children }: BadgeProps) {
  return (
    <span className={styles.badge} data-tone={tone} data-status={status} title={title}>
      {dot && <span className={styles.dot} aria-hidden="true" />}
      {children}
    </span>
  );
}
