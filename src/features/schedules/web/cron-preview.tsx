// What is being written, in words and in times: asked of the server, which is the one that will keep it.
import type { CronCalls } from "../client.ts";
import type { CronPreview as Preview } from "../records.ts";
import { useQuery } from "../../../web/use-query.ts";
import styles from "./cron-page.module.css";
import { bothTimes } from "./cron-labels.ts";

const TYPING_MS = 150;

type CronPreviewProps = { calls: CronCalls; schedule: string; timeZone: string };

export function CronPreview({ calls, schedule, timeZone }: CronPreviewProps) {
  const wanted = schedule.trim();
  const { value, problem } = useQuery(
    wanted === "" ? null : [wanted, timeZone],
    (signal) => calls.preview(wanted, timeZone, signal),
    { delayMs: TYPING_MS, keep: true },
  );
  return (
    <div className={styles.preview} role="status" data-part="preview">
      {problem !== null ? (
        <p data-tone="bad">{problem}</p>
      ) : value ? (
        <Times {...value} />
      ) : (
        <p>Write when it should run.</p>
      )}
    </div>
  );
}

function Times({ words, times, time_zone }: Preview) {
  if (times.length === 0) return <p data-tone="bad">There is no such time any more.</p>;
  return (
    <>
      <p className={styles.previewWords}>{words}</p>
      <ol>
        {times.map((at) => (
          <li key={at}>{bothTimes(at, time_zone)}</li>
        ))}
      </ol>
    </>
  );
}
