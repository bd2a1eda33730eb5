// Opens terminals for the server. The server holds the journal, so the command that starts it passes an implementation
// that runs them in other processes (D8).
import type { TerminalExit, TerminalPart, TerminalSize } from "../records.ts";

export interface TerminalHost extends AsyncDisposable {
  readonly shell: string;
  /** From there on, once there is something (`now`: at once); undefined when the host is gone. */
  read(reader: string, from: { offset: number; now: boolean }): Promise<TerminalPart | undefined>;
  leave(reader: string): void;
  /** Settles once the program has room for more. */
  input(data: string): Promise<void>;
  resize(size: TerminalSize): void;
  /** Undefined: its host died and nobody saw how. */
  readonly ended: Promise<TerminalExit | undefined>;
}
export type TerminalHosts = {
  open(
    asked: TerminalSize & { readonly workspace: string },
  ): Promise<
    | { readonly ok: true; readonly host: TerminalHost }
    | { readonly ok: false; readonly code: string; readonly message: string }
  >;
  /** Null: they can be opened here. */
  readonly missing: string | null;
  readonly sandbox: () => Promise<"none" | "bubblewrap">;
};

const NOBODY = "Terminals cannot be opened through this server.";
export const NO_TERMINALS: TerminalHosts = {
  open: async () => ({ ok: false, code: "no_pty", message: NOBODY }),
  missing: NOBODY,
  sandbox: async () => "none",
};
