// The models that were found, each with buttons to test and use it.
import { useId, useState, type ReactNode, useEffect, useRef } from "react";
import { Select } from "../ui/form.tsx";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useQuery } from "../use-query.ts";
import { idleKeys, providersIn, type FoundProvider } from "./found.ts";
import styles from "./found-models.module.css";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import { duration } from "../text/format.ts";

export type ModelUse = {
  readonly label: string;
  readonly use: (name: string) => void;
  readonly inUse: string | null; // its name
  readonly done: string; // what the button says of the one that is used
};

type FoundModelsProps = {
  uses: readonly ModelUse[];
  otherwise?: ReactNode; // said where nothing real was found
};

export function FoundModels({ uses, otherwise }: FoundModelsProps) {
  const { status } = useApp();
  const { value: models, problem, busy, refresh } = useModels();
  const tests = useModelTests();
  if (problem !== null && !busy) {
    return (
      <div className="stack items-start gap-m">
        <Problem text={problem} />
        <Button icon="again" onClick={refresh}>
          Check again
        </Button>
      </div>
    );
  }
  if (models === null) return <p className="muted appear">Looking for models…</p>;
  const found = providersIn(models);
  const idle = idleKeys(status?.found ?? [], models);
  const real = found.some(({ provider }) => provider !== "demo");
  return (
    <div className="stack items-start gap-m">
      {!real && <p className="muted">No API key or local model server found yet.</p>}
      {!real && otherwise}
      <ul className={styles.list}>
        {found.map((entry) => (
          <Provider key={entry.provider} entry={entry} tests={tests} uses={uses} />
        ))}
      </ul>
      {idle.map((name) => (
        <p key={name} className="muted">
          {visibleLine(name)} is set and not used: another address was configured.
        </p>
      ))}
      <Button tone="quiet" icon="again" onClick={refresh}>
        Check again
      </Button>
    </div>
  );
}

type ProviderProps = { entry: FoundProvider; tests: ModelTests; uses: readonly ModelUse[] };

function Provider({ entry, tests, uses }: ProviderProps) {
  const { provider, label, how, ids } = entry;
  const { status } = useApp();
  const usual = status?.model.provider === provider ? status.model.id : undefined;
  const [chosen, setChosen] = useState<string | null>(null);
  const id = chosen ?? ids.find((each) => each === usual) ?? ids[0] ?? "";
  const name = `${provider}/${id}`;
  const title = useId();
  const asking = tests.asking === name;
  const result = tests.results[name];
  return (
    <li className={styles.provider} data-provider={provider} aria-labelledby={title}>
      <div className="stack min-w-0 break-anywhere">
        <strong className="bold" id={title}>
          {visibleLine(label)}
        </strong>
        <span className="muted small">{visibleLine(how)}</span>
      </div>
      <ModelChoice label={label} ids={ids} id={id} onChange={setChosen} />
      <div className={styles.actions}>
        {asking ? (
          <Button icon="stop" onClick={tests.cancel}>
            Cancel
          </Button>
        ) : (
          <Button
            icon="play"
            aria-label={`Test ${name}`}
            disabled={tests.asking !== null}
            onClick={() => tests.ask({ provider, id })}
          >
            Test
          </Button>
        )}
        {provider !== "demo" &&
          uses.map((each) => (
            <Button
              key={each.label}
              tone="quiet"
              icon={each.inUse === name ? "check" : "right"}
              aria-label={each.inUse === name ? each.done : `${each.label}: ${name}`}
              disabled={each.inUse === name}
              onClick={() => each.use(name)}
            >
              {each.inUse === name ? each.done : each.label}
            </Button>
          ))}
      </div>
      <p className={styles.result} role="status" data-status={asking ? "asking" : result?.status}>
        {asking ? "Asking…" : result && visibleLine(result.words)}
      </p>
    </li>
  );
}

type ChoiceProps = {
  label: string;
  ids: readonly string[];
  id: string;
  onChange: (id: string) => void;
};

function ModelChoice({ label, ids, id, onChange }: ChoiceProps) {
  if (ids.length < 2) return <code className={styles.only}>{visibleLine(id)}</code>;
  return (
    <Select
      className={styles.choice}
      aria-label={`Model of ${label}`}
      value={id}
      values={ids}
      labelOf={visibleLine}
      onChange={onChange}
    />
  );
}

/** Reloaded when shown, because local servers come and go. */
function useModels() {
  const { api } = useApp();
  return useQuery(["models"], api.models);
}

// Really asks a model, on a person's word: one at a time, and it can be called off.
type TestResult = { readonly status: "answered" | "failed"; readonly words: string };
type ModelTests = {
  readonly asking: string | null;
  readonly results: Readonly<Record<string, TestResult>>;
  readonly ask: (model: { provider: string; id: string }) => void;
  readonly cancel: () => void;
};

const LIMIT_MS = 25_000; // the server gives up after 20 s and says so

function useModelTests(): ModelTests {
  const { api } = useApp();
  const [asking, setAsking] = useState<string | null>(null);
  const [results, setResults] = useState<Readonly<Record<string, TestResult>>>({});
  const under = useRef<AbortController | null>(null);
  useEffect(() => () => under.current?.abort(), []);

  const ask: ModelTests["ask"] = (model) => {
    if (under.current) return;
    const name = `${model.provider}/${model.id}`;
    const stop = new AbortController();
    under.current = stop;
    setAsking(name);
    const emit = (result: TestResult) => setResults((before) => ({ ...before, [name]: result }));
    api
      .testModel(model, AbortSignal.any([stop.signal, AbortSignal.timeout(LIMIT_MS)]))
      .then(({ status, text, duration_ms, error }) => {
        const took = duration(duration_ms);
        const said = text === "" ? "It answered without words." : `“${text}”`;
        if (status === "answered") emit({ status, words: `Answered in ${took}: ${said}` });
        else emit({ status, words: error?.message ?? "It did not answer." });
      })
      .catch((error: unknown) => {
        const words = stop.signal.aborted ? "Cancelled." : toApiFailure(error).message;
        emit({ status: "failed", words });
      })
      .finally(() => {
        under.current = null;
        setAsking(null);
      });
  };
  return { asking, results, ask, cancel: () => under.current?.abort() };
}
