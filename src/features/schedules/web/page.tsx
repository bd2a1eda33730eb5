// The page of schedules: list, history and form.
import { useState } from "react";
import { cronCalls } from "../client.ts";
import type { CronJobRecord, CronJobsView } from "../records.ts";
import { useCalls } from "../../../web/app-context.ts";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { useSystemQuery } from "../../../web/use-query.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { Sheet } from "../../../web/ui/sheet.tsx";
import { CronForm } from "./form.tsx";
import { CronJobCard } from "./job.tsx";
import styles from "./page.module.css";
import { EXAMPLE } from "./labels.ts";

type Editing = { readonly job: CronJobRecord | null; readonly example: boolean };

export function CronPage() {
  const calls = useCalls(cronCalls);
  const { value, problem, refresh } = useSystemQuery(["schedules"], calls.jobs);
  const [editing, setEditing] = useState<Editing | null>(null);
  const begin = (example: boolean) => setEditing({ job: null, example });
  return (
    <AdminPage
      name="cron"
      actions={
        <Button icon="plus" onClick={() => begin(false)} disabled={!value}>
          New schedule
        </Button>
      }
    >
      <p className="muted">
        Prompts that run on a schedule. The history shows every run, including late and skipped
        ones.
      </p>
      <Problem text={problem} />
      {value ? (
        <Jobs view={value} onNew={begin} onEdit={(job) => setEditing({ job, example: false })} />
      ) : (
        !problem && <p>Loading…</p>
      )}
      {value && editing && (
        <Sheet
          title={editing.job ? "Edit the schedule" : "New schedule"}
          size="wide"
          onClose={() => setEditing(null)}
        >
          <CronForm
            calls={calls}
            view={value}
            job={editing.job}
            {...(editing.example && { example: EXAMPLE })}
            onSaved={() => {
              setEditing(null);
              refresh();
            }}
          />
        </Sheet>
      )}
    </AdminPage>
  );
}

type JobsProps = {
  view: CronJobsView;
  onNew: (example: boolean) => void;
  onEdit: (job: CronJobRecord) => void;
};

function Jobs({ view, onNew, onEdit }: JobsProps) {
  if (view.jobs.length === 0) {
    return (
      <div className={styles.empty} data-part="empty">
        <p>
          Nothing is scheduled. For example: every weekday at nine, “{EXAMPLE.prompt}” The answer
          will be waiting for you.
        </p>
        <Button tone="primary" onClick={() => onNew(true)}>
          Use this example
        </Button>
      </div>
    );
  }
  return (
    <ul className="stack gap-l plain-list" data-part="schedules">
      {view.jobs.map((job) => (
        <CronJobCard key={job.job_id} job={job} onEdit={() => onEdit(job)} />
      ))}
    </ul>
  );
}
