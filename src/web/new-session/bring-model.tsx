// How to connect a model: those found on this machine, and environment variables for others.
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { chooseModel, useChosenModel } from "./chosen-model.ts";
import { FoundModels, type ModelUse } from "./found-models.tsx";
import styles from "./start-page.module.css";

const LINES = [
  "QUARTERDECK_MODEL=anthropic/…      # or openai/…, google/…, with their usual key",
  "QUARTERDECK_MODEL=ollama/…         # or lmstudio/…: no key",
  "QUARTERDECK_BASE_URL=https://…/v1  # any OpenAI-compatible server,",
  "QUARTERDECK_API_KEY=…              # if it needs one",
].join("\n");

export function BringModel() {
  const { status } = useApp();
  const chosen = useChosenModel();
  const usual = status && !status.model.demo ? status.model.label : null;
  return (
    <section className={styles.bring} aria-labelledby="bring-model">
      <h3 id="bring-model">Connect a model</h3>
      {chosen === null
        ? usual !== null && <p>In use: {visibleLine(usual)}</p>
        : status && (
            <p className={styles.chosen}>
              <span>
                New sessions in this browser use <strong>{visibleLine(chosen)}</strong>.
              </span>
              <Button tone="quiet" onClick={() => chooseModel(null)}>
                Use {visibleLine(status.model.label)} instead
              </Button>
            </p>
          )}
      <FoundModels uses={[forNewSessions(chosen)]} />
      <ModelLines />
    </section>
  );
}

export function ModelLines() {
  return (
    <>
      <p className="muted">Or set these environment variables and restart:</p>
      <div className={styles.lines}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reachable by key */}
        <pre tabIndex={0}>{LINES}</pre>
        <CopyButton text={LINES} what="environment lines" />
      </div>
    </>
  );
}

export function forNewSessions(chosen: string | null): ModelUse {
  return {
    label: "Use for new sessions",
    use: chooseModel,
    inUse: chosen,
    done: "Used for new sessions",
  };
}
