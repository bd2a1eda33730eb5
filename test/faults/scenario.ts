// What a trial runs and what it breaks, drawn from its seed. Every command with an effect writes
// its own line to a ledger outside the product, so that running it twice cannot go unseen.
import type { Random } from "./random.ts";
import { drawWords, type Word } from "./words.ts";

export type Target = "serve" | "work" | "tool host" | "everything";
export type Fault = { target: Target; atSeq: number };
export type Scenario = {
  script: string;
  /** Ids of the commands in the script, in order. */
  effects: string[];
  /** Texts that a completed run must show exactly once outside superseded turns. */
  texts: string[];
  /** What a person says meanwhile. */
  words: Word[];
  faults: Fault[];
};

export function drawScenario(random: Random): Scenario {
  const script = drawScript(random, "effect");
  const faults: Fault[] = [];
  for (let left = random.between(2, 5), seq = 0; left > 0; left--) {
    seq += random.between(3, 35);
    const target = random.pick<Target>([
      "serve",
      "work",
      "work",
      "work",
      "tool host",
      "everything",
    ]);
    faults.push({ target, atSeq: seq });
  }
  return { ...script, faults };
}

/** `name`: of its effects, which must be unique within a ledger. */
export function drawScript(random: Random, name: string): Omit<Scenario, "faults"> {
  const effects: string[] = [];
  const texts: string[] = [];
  const lines = [`pace ${random.between(1, 4)}`];
  const effect = () => {
    const id = `${name}-${effects.length + 1}`;
    effects.push(id);
    return `exec echo ${id} >> ledger; sleep 0.0${random.between(1, 9)}`;
  };
  const steps = random.between(3, 6);
  for (let step = 0; step < steps; step++) {
    const kind = random.pick([
      "count",
      "exec",
      "exec",
      "together",
      "write",
      "think",
      "ask",
      "delegate",
    ]);
    if (kind === "count") lines.push(`count ${random.between(20, 60)}`);
    else if (kind === "exec") lines.push(effect());
    else if (kind === "together") lines.push("together", effect(), effect(), "end");
    else if (kind === "write") lines.push(`write file-${step}.txt some content`);
    else if (kind === "think") lines.push(`think ${"deep ".repeat(random.between(5, 20)).trim()}`);
    else if (kind === "ask") lines.push("clarify Shall I go on? | yes | no");
    else
      lines.push(
        `delegate part ${step}: pace 1 ;; count ${random.between(5, 30)} ;; say part done`,
      );
  }
  texts.push("the end of the script");
  lines.push(`say ${texts[0]}`);
  return { script: lines.join("\n"), effects, texts, words: drawWords(random) };
}
