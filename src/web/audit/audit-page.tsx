// The audit log: logins, approvals, settings, exports. Read-only.
import { useMemo, useState } from "react";
import { auditCalls } from "../../kernel/client/calls/audit-calls.ts";
import type { HouseEntry } from "../../kernel/api/records/system-log.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { AdminPage } from "../admin/admin-page.tsx";
import { useSystemQuery } from "../use-query.ts";
import { useOlder } from "../admin/use-older.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Link } from "../ui/link.tsx";
import { Problem } from "../ui/problem.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./audit-page.module.css";
import { AUDIT_GROUPS, placeOf, wordsOf } from "./audit-labels.ts";

export function AuditPage() {
  const [types, setTypes] = useState("");
  return (
    <AdminPage name="audit">
      <p className="muted">
        Who logged in, allowed, changed or exported what. Every entry is chained to the one before
        it; none can be changed or removed.
      </p>
      <div className={form.choices} role="group" aria-label="Show">
        {AUDIT_GROUPS.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            aria-pressed={types === name}
            onClick={() => setTypes(name)}
          >
            {label}
          </button>
        ))}
      </div>
      <Entries key={types} types={types} />
    </AdminPage>
  );
}

function Entries({ types }: { types: string }) {
  const { api } = useApp();
  const calls = useMemo(() => auditCalls(api.calls), [api]);
  const { value, problem } = useSystemQuery([types], (signal) => calls.audit({ types }, signal));
  const older = useOlder(value, {
    ask: (before) => calls.audit({ types, before }),
    entriesOf: (page) => page.entries,
  });
  if (!value) return problem ? <Problem text={problem} /> : <p>Loading…</p>;
  const entries = [...value.entries, ...older.entries];
  if (entries.length === 0) return <p className="muted">No entries yet.</p>;
  return (
    <>
      <Problem text={problem ?? older.problem} />
      <ol className="plain-list" data-part="audit">
        {entries.map((entry) => (
          <Entry key={entry.seq} entry={entry} />
        ))}
      </ol>
      {older.more && <Button onClick={older.read}>Older entries</Button>}
    </>
  );
}

function Entry({ entry }: { entry: HouseEntry }) {
  const place = placeOf(entry);
  const by = typeof entry.payload["by"] === "string" ? entry.payload["by"] : "";
  return (
    <li className={styles.entry} data-type={entry.type}>
      <span className={styles.what}>
        {visibleLine(wordsOf(entry))}
        {place && (
          <>
            {" "}
            <Link to={{ page: "session", ...place }}>Open the session</Link>
          </>
        )}
      </span>
      <span className="flex gap-l hint nowrap">
        <span>{visibleLine(by)}</span>
        <Time at={entry.created_at} />
      </span>
    </li>
  );
}
