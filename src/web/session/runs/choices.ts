// Selectable runs of a session, oldest first: undone ones included, subagents not.
import type { Folded } from "../../../kernel/client/sessions/store.ts";
import type { RunStatus } from "../../../kernel/state/run/status.ts";
import { values } from "../../../kernel/state/vector.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";

export type RunChoice = {
  readonly runId: string;
  readonly number: number; // from 1
  readonly prompt: string;
  readonly rewound: boolean;
  readonly status: RunStatus;
  readonly at: number;
};

export function runChoices({ session, runs }: Pick<Folded, "session" | "runs">): RunChoice[] {
  const choices: RunChoice[] = [];
  for (const { runId, rewound, prompt, createdAt } of values(session.runs)) {
    const run = runs[runId];
    if (!run || run.depth > 0 || run.seq < 2) continue;
    choices.push({
      runId,
      number: choices.length + 1,
      prompt: visibleLine(prompt.slice(0, 120)),
      rewound,
      status: run.status,
      at: createdAt,
    });
  }
  return choices;
}

export function choiceLabel({ number, prompt, rewound }: RunChoice): string {
  return `${number} · ${prompt || "Run"}${rewound ? " (undone)" : ""}`;
}

/** For an undone run its replacement, otherwise the previous run. */
export function suggestedFor(choices: readonly RunChoice[], runId: string): RunChoice | null {
  const at = choices.findIndex((choice) => choice.runId === runId);
  const next = choices[at]?.rewound ? choices.slice(at + 1).find(({ rewound }) => !rewound) : null;
  return next ?? choices[at - 1] ?? null;
}
