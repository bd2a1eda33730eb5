// Where a person types and reads: a prompt with history at a terminal, plain lines in a pipe. Replies go
// to standard output, everything about them to standard error.
import { clearLine, createInterface, cursorTo } from "node:readline";
import { terminalText } from "../../../kernel/text/terminal-text.ts";
import { RESET } from "../../../kernel/text/terminal-text.ts";
import type { Phase } from "./machine.ts";

export type Typed = {
  readonly line: (text: string) => void;
  readonly end: () => void;
  readonly interrupt: () => void;
};
export type Screen = {
  /** Each line that is typed, then `end`. */
  listen(on: Typed): void;
  reply(text: string, how: { readonly finish: string; readonly own: boolean }): void;
  notice(text: string): void;
  phase(phase: Phase): void;
  close(): void;
};
export type Streams = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean };
};

const PROMPTS: Record<Phase, string> = {
  DISCONNECTED: "(away) › ",
  CONNECTING: "(away) › ",
  WAIT_CONNECTED: "(away) › ",
  READY: "› ",
  WAIT_ACK: "… ",
  WAIT_REPLY: "… ",
};

export function openScreen({ input, output, errors }: Streams): Screen {
  const typing = input.isTTY === true && output.isTTY === true;
  return typing ? typed({ input, output, errors }) : piped({ input, output, errors });
}

/** What went wrong is no reply, whoever reads it. */
const isFailure = (finish: string) => finish === "error" || finish === "cancelled";

/** Only replies to the given lines are output; what else is said stands beside it. */
function piped({ input, output, errors }: Streams): Screen {
  const lines = createInterface({ input, terminal: false, crlfDelay: Infinity });
  // A file gets a reply as it is; a terminal would obey it.
  const write = (to: Streams["errors"], text: string) =>
    void to.write(`${to.isTTY === true ? terminalText(text) : text}\n`);
  return {
    listen: ({ line, end }) => void lines.on("line", line).on("close", end),
    reply: (text, { own, finish }) => write(own && !isFailure(finish) ? output : errors, text),
    notice: (text) => write(errors, text),
    phase: () => undefined,
    close: () => lines.close(),
  };
}

function typed({ input, output, errors }: Streams): Screen {
  const lines = createInterface({ input, output, terminal: true, historySize: 1_000 });
  let closed = false;
  let prompt = PROMPTS.DISCONNECTED;
  lines.setPrompt(`${RESET}${prompt}`);

  /** What is being typed stays as it is, below what is written. */
  function above(write: () => void): void {
    if (closed) return write();
    clearLine(output, 0);
    cursorTo(output, 0);
    write();
    lines.prompt(true);
  }

  return {
    listen({ line, end, interrupt }) {
      lines.on("line", (text) => {
        line(text);
        if (!closed) lines.prompt();
      });
      lines.on("close", end);
      lines.on("SIGINT", () => {
        if (lines.line === "") return interrupt();
        lines.write(null, { ctrl: true, name: "u" });
      });
      lines.prompt();
    },
    reply: (text, { finish }) => {
      const mark = isFailure(finish) ? "✗ " : "";
      above(() => output.write(`${mark}${terminalText(text)}\n\n`));
    },
    notice: (text) => above(() => errors.write(`${terminalText(text)}\n`)),
    phase(phase) {
      if (closed || PROMPTS[phase] === prompt) return;
      prompt = PROMPTS[phase];
      lines.setPrompt(`${RESET}${prompt}`);
      lines.prompt(true);
    },
    close() {
      if (!closed) output.write("\n"); // whatever comes next begins on a line of its own
      closed = true;
      lines.close();
    },
  };
}
