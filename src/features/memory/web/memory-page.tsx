// The memory of a profile. Shows changes by agents and editors live, and never overwrites an entry that changed
// meanwhile.
import { memoryCalls } from "../client.ts";
import type { MemoryTarget, ProfileMemory } from "../records.ts";
import { useCalls } from "../../../web/app-context.ts";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { ProfileChoice, useProfileChoice } from "../../../web/admin/profile-choice.tsx";
import { useSystemQuery } from "../../../web/use-query.ts";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { LastChanged } from "../../../web/admin/last-changed.tsx";
import { MemoryEntries } from "./memory-entries.tsx";
import styles from "./memory-page.module.css";

const TARGETS: readonly { target: MemoryTarget; title: string; about: string }[] = [
  { target: "memory", title: "Memory", about: "What agents of this profile noted for later." },
  { target: "user", title: "User profile", about: "What they know about you." },
];

export function MemoryPage() {
  const choice = useProfileChoice();
  return (
    <AdminPage name="memory">
      <p className="muted">
        Added to every prompt. Stored as plain files that you and your agents can both edit.
      </p>
      <ProfileChoice {...choice} />
      {TARGETS.map((one) => (
        <Target key={`${choice.profile} ${one.target}`} profile={choice.profile} {...one} />
      ))}
    </AdminPage>
  );
}

type TargetProps = (typeof TARGETS)[number] & { profile: string };

function Target({ profile, target, title, about }: TargetProps) {
  const calls = useCalls(memoryCalls);
  const { value, problem, refresh } = useSystemQuery([profile, target], (signal) =>
    calls.memory(profile, target, signal),
  );
  return (
    <section className={form.section} aria-label={title} data-target={target}>
      <h2>{title}</h2>
      <p className="muted">{about}</p>
      <Problem text={problem} />
      {!value && !problem && <p className="muted">Loading…</p>}
      {value && (
        <>
          <UsageBar usage={value.usage} />
          <MemoryEntries memory={value} calls={calls} onChanged={refresh} />
          <LastChanged last={value.last} />
        </>
      )}
    </section>
  );
}

function UsageBar({ usage }: { usage: ProfileMemory["usage"] }) {
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
        {level === "over" && ": too many. An agent sees only the first ones and cannot add more."}
      </span>
    </div>
  );
}
