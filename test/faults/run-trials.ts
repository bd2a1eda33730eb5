// Runs trials until enough of them counted: one in which no fault fired proves nothing.

export type TrialResult = { seed: number; fired: string[]; problems: string[]; ms: number };

export async function runTrials(options: {
  trial: (seed: number) => Promise<TrialResult>;
  trials: number;
  seed: number;
  parallel: number;
  report: (result: TrialResult) => void;
}): Promise<{ counted: number; failed: TrialResult[] }> {
  let next = options.seed;
  let counted = 0;
  const failed: TrialResult[] = [];
  const lane = async () => {
    while (counted < options.trials) {
      const result = await options.trial(next++);
      if (result.fired.length > 0 || result.problems.length > 0) counted += 1;
      if (result.problems.length > 0) failed.push(result);
      options.report(result);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, lane));
  return { counted, failed };
}
