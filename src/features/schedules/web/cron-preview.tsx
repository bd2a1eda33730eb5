// What is being written, in words and in times: asked of the server, which is the one that will keep it.
import { useEffect, useState } from "react";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import type { CronCalls } from "../client.ts";
import type { CronPreview as Preview } from "../records.ts";
import styles from "./cron-page.module.css";
import { bothTimes } from "./cron-words.ts";

const TYPING_MS = 150;

type Shown = { readonly preview: Preview } | { readonly problem: string };
type CronPreviewProps = { calls: CronCalls; schedule: string; timeZone: string };

export function CronPreview({ calls, schedule, timeZone }: CronPreviewProps) {
  const [shown, setShown] = useState<Shown | null>(null);
  const wanted = schedule.trim();
  useEffect(() => {
    if (wanted === "") return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      calls.preview(wanted, timeZone, stop.signal).then(
        (preview) => setShown({ preview }),
        (error: unknown) => {
          if (!stop.signal.aborted) setShown({ problem: toApiFailure(error).message });
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [calls, wanted, timeZone]);
  return (
    <div className={styles.preview} role="status" data-part="preview">
      {wanted === "" || shown === null ? (
        <p>Write when it should run.</p>
      ) : "problem" in shown ? (
        <p data-tone="bad">{shown.problem}</p>
      ) : (
        <Times {...shown.preview} />
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
