// How to bring a model: what was found on this machine, and the lines that name any other.
import { useApp } from "../app-context.ts";
import { visibleLine } from "../text/visible-text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import styles from "./start-page.module.css";

const LINES = [
  "QUARTERDECK_BASE_URL=http://127.0.0.1:11434/v1",
  "QUARTERDECK_API_KEY=…",
  "QUARTERDECK_MODEL=provider/model",
].join("\n");

export function BringModel() {
  const { status } = useApp();
  const found = status?.found ?? [];
  return (
    <section className={styles.bring} aria-labelledby="bring-model">
      <h3 id="bring-model">Bring a model</h3>
      {status && !status.model.demo && <p>In use: {visibleLine(status.model.label)}</p>}
      {found.length > 0 ? (
        <ul className={styles.found}>
          {found.map(({ name, detail }) => (
            <li key={`${name} ${detail}`}>
              <strong>{visibleLine(name)}</strong> {visibleLine(detail)}
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.hint}>
          No key was found in the environment. Set these and start again; any OpenAI-compatible
          server will do:
        </p>
      )}
      <div className={styles.lines}>
        <pre>{LINES}</pre>
        <CopyButton text={LINES} what="environment lines" />
      </div>
    </section>
  );
}
