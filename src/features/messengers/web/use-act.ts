// One thing a person does at a time: busy while it is done, and why it did not work.
import { useCallback, useState } from "react";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";

export function useAct(done: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const act = useCallback(
    async (work: () => Promise<unknown>): Promise<boolean> => {
      setBusy(true);
      setProblem(null);
      try {
        await work();
        return true;
      } catch (error) {
        setProblem(toApiFailure(error).message);
        return false;
      } finally {
        setBusy(false);
        done();
      }
    },
    [done],
  );
  return { act, busy, problem };
}
