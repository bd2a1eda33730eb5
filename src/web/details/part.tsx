// Building blocks of the details panel.
import { useId, type ReactNode } from "react";
import { percent } from "../text/format.ts";
import styles from "./details.module.css";

export function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.part} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type MeterProps = {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly words: string;
};
const NEARLY = 0.8;

export function Meter({ name, used, limit, words }: MeterProps) {
  const part = limit > 0 ? used / limit : 0;
  const status = part >= 1 ? "full" : part >= NEARLY ? "nearly" : "room";
  return (
    <div className={styles.meter} data-status={status}>
      <span className={styles.meterWords}>
        <span>{name}</span>
        <span>
          {words} · {percent(part)}
        </span>
      </span>
      <span
        className={styles.track}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={`${words}, ${percent(part)}`}
      >
        <span style={{ inlineSize: `${Math.min(100, part * 100)}%` }} />
      </span>
    </div>
  );
}
