// The state of each skill in this session: offered, loaded or off.
import { useMemo } from "react";
import { skillsCalls } from "../../features/skills/client.ts";
import type { SessionSkill } from "../../features/skills/records.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { useSystemQuery } from "../use-query.ts";
import { useMutation } from "../use-mutation.ts";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import styles from "./session-skills.module.css";

const STATES: Record<SessionSkill["state"], string> = {
  offered: "Offered",
  loaded: "Loaded",
  off: "Off",
};

export function SessionSkills({ sessionId }: { sessionId: string }) {
  const { api } = useApp();
  const calls = useMemo(() => skillsCalls(api.calls), [api]);
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
      <p className={form.hint}>
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
