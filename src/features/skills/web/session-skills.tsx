// The state of each skill in this session: offered, loaded or off.
import { skillsCalls } from "../client.ts";
import type { SessionSkill } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useCalls } from "../../../web/app-context.ts";
import { useSystemQuery } from "../../../web/use-query.ts";
import { useMutation } from "../../../web/use-mutation.ts";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import styles from "./session-skills.module.css";

const STATES: Record<SessionSkill["state"], string> = {
  offered: "Offered",
  loaded: "Loaded",
  off: "Off",
};

export function SessionSkills({ sessionId }: { sessionId: string }) {
  const calls = useCalls(skillsCalls);
  const { value, problem, refresh } = useSystemQuery([sessionId], (signal) =>
    calls.ofSession(sessionId, signal),
  );
  const task = useMutation();
  if (!value || value.skills.length === 0) return null;
  const set = (name: string, state: SessionSkill["state"]) =>
    task.run(() => calls.setSkill(sessionId, { name, state }), refresh);
  return (
    <section className={form.section} aria-label="Skills">
      <h3>Skills</h3>
      <p className="hint">
        Offered: the agent sees its name and reads it when it fits. Loaded: its text is part of
        every prompt. Applies from the next turn.
      </p>
      <ul className={styles.skills}>
        {value.skills.map(({ name, state, missing }) => (
          <li key={name}>
            <label>
              <span>
                {visibleLine(name)}
                {missing && " (gone)"}
              </span>
              <select
                value={state}
                disabled={task.busy}
                onChange={(event) => set(name, event.target.value as SessionSkill["state"])}
              >
                {Object.entries(STATES).map(([value_, words]) => (
                  <option key={value_} value={value_}>
                    {words}
                  </option>
                ))}
              </select>
            </label>
          </li>
        ))}
      </ul>
      <Problem text={problem ?? task.problem} />
    </section>
  );
}
