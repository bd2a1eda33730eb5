// How full a store is, as a bar and in words.
import type { ProfileMemory } from "../records.ts";
import styles from "./memory-page.module.css";

export function UsageBar({ usage }: { usage: ProfileMemory["usage"] }) {
  const { chars, limit, percent } = usage;
  const level = percent > 100 ? "over" : percent > 80 ? "high" : "low";
  const words = `${chars.toLocaleString("en")} of ${limit.toLocaleString("en")} characters`;
  return (
    <div className={styles.usage} data-level={level}>
      <meter min={0} max={limit} value={Math.min(chars, limit)} aria-label="How full it is">
        {words}
      </meter>
      <span>
        {words}
        {level === "over" && ": too many. An agent is told only the first, and can add nothing."}
      </span>
    </div>
  );
}
