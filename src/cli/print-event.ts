// How `run` shows a run: the answer on standard output, what happens around it on standard error,
// or with --json every event as it is stored, one per line.
import type { Parsed } from "../config.ts";
import { withoutRepeats, type Steps } from "../kernel/dialect/append-only.ts";
import type { EventType, PayloadOf, RunEvent } from "../kernel/events/events.ts";

export function printer(values: Parsed["values"]): (event: RunEvent, body: string) => void {
  if (values["quiet"]) return () => {};
  if (values["json"]) return (_event, body) => void process.stdout.write(`${body}\n`);
  const steps: Steps = {};
  return (event) => {
    const shown = withoutRepeats(event, steps);
    if (shown) printText(shown);
  };
}

type Printers = { [Type in EventType]?: (payload: PayloadOf<Type>) => void };

// Everything that is not here is for windows with more room.
const PRINT: Printers = {
  "token.delta": ({ delta }) => void process.stdout.write(delta),
  "message.completed": ({ text }) => void (text !== "" && process.stdout.write("\n")),
  "tool.started": ({ name, arguments: given }) =>
    note(`· ${name} ${JSON.stringify(given).slice(0, 200)}`),
  "turn.superseded": ({ message }) => note(`\n[${message}]`),
  recovery: ({ message }) => note(`\n[${message}]`),
  error: ({ code, message }) => note(`\n${code}: ${message}`),
};

function printText(event: RunEvent): void {
  (PRINT[event.type] as ((payload: unknown) => void) | undefined)?.(event.payload);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
