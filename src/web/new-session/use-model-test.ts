// Really asks a model, on a person's word: one at a time, and it can be called off.
import { useEffect, useRef, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import { useApp } from "../app-context.ts";
import { duration } from "../text/format.ts";

export type TestResult = { readonly status: "answered" | "failed"; readonly words: string };
export type ModelTests = {
  readonly asking: string | null;
  readonly results: Readonly<Record<string, TestResult>>;
  readonly ask: (model: { provider: string; id: string }) => void;
  readonly cancel: () => void;
};

const LIMIT_MS = 25_000; // the server gives up after 20 s and says so

export function useModelTests(): ModelTests {
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
