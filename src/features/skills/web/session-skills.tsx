// The state of each skill in this session: offered, loaded or off.
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { useCalls } from "../../../web/app-context.ts";
import { Select } from "../../../web/ui/form.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { useMutation } from "../../../web/use-mutation.ts";
import { useSystemQuery } from "../../../web/use-query.ts";
import { skillsCalls } from "../client.ts";
import type { SessionSkill } from "../records.ts";
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
              <Select
                value={state}
                values={Object.keys(STATES) as SessionSkill["state"][]}
                labelOf={(each) => STATES[each]}
                disabled={task.busy}
                onChange={(each) => set(name, each)}
              />
            </label>
          </li>
        ))}
      </ul>
      <Problem text={problem ?? task.problem} />
    </section>
  );
}
