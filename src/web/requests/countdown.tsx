// The time until a request expires. Expiry never means yes.
import { elapsed, exactTime } from "../text/format.ts";
import { useNow } from "../ui/use-now.ts";
import styles from "./requests.module.css";

/** `until` in unix seconds. */
export function Countdown({ until }: { until: number }) {
  const now = useNow(1_000);
  const left = until * 1_000 - now;
  return (
    <p className={styles.where} title={exactTime(until)}>
      {left > 0
        ? `Expires in ${elapsed(left)}; without an answer it is denied.`
        : "Expired; it is being denied."}
    </p>
  );
}
