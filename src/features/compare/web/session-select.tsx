// Selects the session of the other run: this one, related ones, or any other.
import { useApp } from "../../../web/app-context.ts";
import { useSource, useSession } from "../../../web/session/use-session.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import styles from "../../../web/session/runs/select.module.css";

const MAX = 100;

type SessionSelectProps = { value: string; onChange: (sessionId: string) => void };

export function SessionSelect({ value, onChange }: SessionSelectProps) {
  const { sessions } = useApp();
  const { sessionId } = useSource();
  const parent = useSession(({ session }) => session.parentSessionId);
  const others = (sessions ?? []).filter((one) => one.session_id !== sessionId).slice(0, MAX);
  const isKin = (one: (typeof others)[number]) =>
    one.session_id === parent || one.parent_session_id === sessionId;
  const known = value === sessionId || others.some((one) => one.session_id === value);
  const options = (list: typeof others) =>
    list.map((one) => (
      <option key={one.session_id} value={one.session_id}>
        {visibleLine(one.title) || "Untitled"}
      </option>
    ));
  const kin = others.filter(isKin);
  return (
    <select
      className={styles.select}
      aria-label="Session of run B"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value={sessionId}>This session</option>
      {!known && <option value={value}>Another session</option>}
      {kin.length > 0 && <optgroup label="Branches">{options(kin)}</optgroup>}
      {others.length > kin.length && (
        <optgroup label="Other sessions">{options(others.filter((one) => !isKin(one)))}</optgroup>
      )}
    </select>
  );
}
