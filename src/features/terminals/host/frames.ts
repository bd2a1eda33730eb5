// What travels between the server and the host of a terminal, one JSON object per line. Output is asked
// for, never sent unasked: the server holds one piece per window and the host keeps the rest.
import type { TerminalExit, TerminalPart, TerminalSize } from "../records.ts";
import type { ToolErrorCode } from "../../../kernel/workspace/host/tool-error.ts";

export type ToTerminal =
  /** Also says that everything before `offset` has been shown there. `now`: answered if only with the end. */
  | {
      readonly kind: "read";
      readonly reader: string;
      readonly offset: number;
      readonly now: boolean;
    }
  | { readonly kind: "leave"; readonly reader: string }
  /** Answered with `taken` once the program has room for more. */
  | { readonly kind: "input"; readonly id: string; readonly data: string }
  | ({ readonly kind: "resize" } & TerminalSize);

export type FromTerminal =
  | { readonly kind: "ready"; readonly shell: string }
  | { readonly kind: "failed"; readonly code: ToolErrorCode | "no_pty"; readonly message: string }
  | ({ readonly kind: "output"; readonly reader: string } & TerminalPart)
  | { readonly kind: "taken"; readonly id: string }
  | ({ readonly kind: "exit" } & TerminalExit);

export const RING_BYTES = 1_048_576;
export const PART_BYTES = 65_536;
/** A part in base64 and its frame; an input of the largest size, escaped at worst six times over. */
export const MAX_TERMINAL_LINE = 1 << 20;
