// Creates or edits a schedule. Untouched fields keep their value or the default.
import { useId, useState, type FormEvent } from "react";
import { Checkbox, TextField } from "../../../web/ui/form.tsx";
import type { CronCalls } from "../client.ts";
import type { CronJobRecord, CronJobsView, CronPreview as Preview } from "../records.ts";
import { newId } from "../../../web/new-id.ts";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { useMutation } from "../../../web/use-mutation.ts";
import { CronMore } from "./more.tsx";
import { fieldsOf, textsOf, type CronTexts } from "./texts.ts";
import styles from "./page.module.css";
import { PRESETS, bothTimes } from "./labels.ts";
import { useQuery } from "../../../web/use-query.ts";

type CronFormProps = {
  calls: CronCalls;
  view: CronJobsView;
  job: CronJobRecord | null; // null: a new one
  example?: Partial<CronTexts>;
  onSaved: () => void;
};

export function CronForm({ calls, view, job, example, onSaved }: CronFormProps) {
  const [jobId] = useState(() => job?.job_id ?? newId("cron")); // sent twice, it is one schedule
  const [texts, setTexts] = useState<CronTexts>(() => ({ ...textsOf(job), ...example }));
  const set = (change: Partial<CronTexts>) => setTexts((before) => ({ ...before, ...change }));
  const command = useMutation();
  const save = (event: FormEvent) => {
    event.preventDefault();
    const fields = fieldsOf(texts);
    const deliver = () => (job ? calls.update(jobId, fields) : calls.create(jobId, fields));
    command.send(fields, deliver, onSaved);
  };
  const ready =
    texts.schedule.trim() !== "" && (texts.prompt.trim() !== "" || texts.skills.trim() !== "");
  return (
    <form className="stack gap-l" onSubmit={save}>
      <TextField
        label="Name"
        value={texts.name}
        maxLength={200}
        placeholder="What it is for"
        onChange={(value) => set({ name: value })}
      />
      <TextField
        label="What should be done"
        rows={3}
        maxLength={65_536}
        value={texts.prompt}
        onChange={(value) => set({ prompt: value })}
      />
      <When calls={calls} texts={texts} set={set} />
      <CronMore view={view} texts={texts} set={set} />
      <Problem text={command.problem} />
      {command.problem?.includes("allow_risky") && (
        <Checkbox checked={texts.allow_risky} onChange={(checked) => set({ allow_risky: checked })}>
          I understand the risk, allow this prompt
        </Checkbox>
      )}
      <div className="row flex-wrap gap-m">
        <Button tone="primary" type="submit" disabled={command.busy || !ready}>
          {job ? "Save" : "Create schedule"}
        </Button>
      </div>
    </form>
  );
}

type WhenProps = {
  calls: CronCalls;
  texts: CronTexts;
  set: (change: Partial<CronTexts>) => void;
};

function When({ calls, texts, set }: WhenProps) {
  const zones = useId();
  return (
    <fieldset className={styles.when}>
      <legend>When</legend>
      <div className={styles.pair}>
        <TextField
          label="Schedule"
          value={texts.schedule}
          maxLength={200}
          spellCheck={false}
          placeholder="0 9 * * 1-5, @daily, every 15m, 2026-03-31T09:00, in 30m"
          onChange={(value) => set({ schedule: value })}
        />
        <TextField
          label="Time zone"
          value={texts.time_zone}
          maxLength={64}
          list={zones}
          spellCheck={false}
          onChange={(value) => set({ time_zone: value })}
        />
      </div>
      <datalist id={zones}>
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <div className={form.choices} role="group" aria-label="Common schedules">
        {PRESETS.map(({ label, schedule }) => (
          <button
            key={schedule}
            type="button"
            aria-pressed={texts.schedule === schedule}
            onClick={() => set({ schedule })}
          >
            {label}
          </button>
        ))}
      </div>
      <CronPreview calls={calls} schedule={texts.schedule} timeZone={texts.time_zone} />
    </fieldset>
  );
}

// The schedule in words and its next times, computed by the server that will run it.
const TYPING_MS = 150;

type CronPreviewProps = { calls: CronCalls; schedule: string; timeZone: string };

function CronPreview({ calls, schedule, timeZone }: CronPreviewProps) {
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
        <p>Enter when it should run.</p>
      )}
    </div>
  );
}

function Times({ words, times, time_zone }: Preview) {
  if (times.length === 0) return <p data-tone="bad">No more runs are due.</p>;
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
