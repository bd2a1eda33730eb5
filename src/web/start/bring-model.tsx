// How to bring a model: what was found on this machine, and the lines that name any other.
import { useEffect, useState } from "react";
import { useApp } from "../app-context.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import styles from "./start-page.module.css";

const LINES = [
  "QUARTERDECK_MODEL=anthropic/…      # or openai/…, google/…, with their usual key",
  "QUARTERDECK_MODEL=ollama/…         # or lmstudio/…: no key",
  "QUARTERDECK_BASE_URL=https://…/v1  # any OpenAI-compatible server,",
  "QUARTERDECK_API_KEY=…              # if it needs one",
].join("\n");
const LOCAL = new Set(["ollama", "lmstudio"]);

export function BringModel() {
  const { status } = useApp();
  const local = useLocalModels();
  const found = [...(status?.found ?? []), ...local];
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
          No key and no local server was found. Set one of these and start again:
        </p>
      )}
      <div className={styles.lines}>
        <pre>{LINES}</pre>
        <CopyButton text={LINES} what="environment lines" />
      </div>
    </section>
  );
}

/** Of servers that run here; can be chosen for any session in its settings. */
function useLocalModels(): { name: string; detail: string }[] {
  const { api } = useApp();
  const [models, setModels] = useState<{ name: string; detail: string }[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    api.models(leaving.signal).then(
      (listed) =>
        setModels(
          listed
            .filter(({ provider }) => LOCAL.has(provider))
            .map(({ provider, id, found }) => ({ name: `${provider}/${id}`, detail: found })),
        ),
      () => undefined, // the lines below work without the list
    );
    return () => leaving.abort();
  }, [api]);
  return models;
}
