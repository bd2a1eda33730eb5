// `replay FILE|RUN|SESSION`: what was recorded, played in this terminal; nothing is resumed and nothing changes. With
// --check it is done again: the recorded model and the recorded tools through the real loop, which must tell the same.
import { setTimeout as delay } from "node:timers/promises";
import { type Parsed, UsageError } from "../../config.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { printer } from "../../cli/print-event.ts";
import { recordedEvents } from "../share/cli/recorded-events.ts";

export const flags = {
  speed: { type: "string" },
  json: { type: "boolean" },
  check: { type: "boolean" },
} as const;

const LONGEST_PAUSE_S = 5; // what waited for a person for a day is not waited for again

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  const [named] = positionals;
  if (!named) throw new UsageError("What? quarterdeck replay FILE|RUN [--speed 4|max] [--check]");
  const speed = speedIn(values["speed"]);
  const events = await recordedEvents(config, named);
  if (values["check"]) return check(events);
  const print = values["json"] ? printer({ json: true }) : printAll(printer({}));
  let before = events[0]?.created_at ?? 0;
  for (const event of events) {
    const pause = Math.min(LONGEST_PAUSE_S, event.created_at - before) / speed;
    before = event.created_at;
    if (pause > 0.001) await delay(pause * 1_000);
    print(event, JSON.stringify(event));
  }
  return 0;
}

function speedIn(given: unknown): number {
  if (given === undefined) return 1;
  if (given === "max") return Number.POSITIVE_INFINITY;
  const speed = Number(given);
  if (!(speed > 0 && speed <= 1_000)) throw new UsageError("--speed is a number, or max.");
  return speed;
}

/** With what people said, and what subagents did. */
function printAll(print: (event: RunEvent, body: string) => void) {
  const below = new Set<string>(); // runs of subagents: what they say goes on beside the answer
  return (event: RunEvent, body: string) => {
    if (event.type === "subagent.started") below.add(event.payload.child_run_id);
    if (below.has(event.run_id)) return printBelow(event);
    if (event.type === "message.user") {
      process.stderr.write(`\n> ${event.payload.text}\n\n`);
    } else if (event.type === "done" && event.payload.status !== "completed") {
      process.stderr.write(`[${event.payload.status}]\n`);
    }
    print(event, body);
  };
}

function printBelow({ type, payload }: RunEvent): void {
  if (type === "message.completed" && payload.text !== "") {
    process.stderr.write(`${payload.text.replaceAll(/^/gm, "  │ ")}\n`);
  } else if (type === "tool.started") {
    process.stderr.write(`  │ · ${payload.name}\n`);
  }
}

/** 0: the same. 1: something else. 2: it has something in it that cannot be done again. */
async function check(events: readonly RunEvent[]): Promise<number> {
  const { checkCassette } = await import("./runner/check.ts");
  const { status, compared, message } = await checkCassette(events);
  console.log(status === "same" ? `The same: ${compared} events compared.` : message);
  return { same: 0, drifted: 1, unsupported: 2 }[status];
}
