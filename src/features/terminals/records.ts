// A person's own terminals: what is asked, what is listed, and what travels on a terminal's WebSocket.
// Places in the output are counted in bytes since it was opened; data is base64, because bytes are not text.
import { z } from "zod";
import { SessionId } from "../../kernel/events/ids.ts";

const Cols = z.int().min(2).max(1_000);
const Rows = z.int().min(1).max(1_000);
const Place = z.int().nonnegative();

export const OpenTerminal = z.strictObject({ cols: Cols.default(80), rows: Rows.default(24) });
export type OpenTerminal = z.infer<typeof OpenTerminal>;
export const CloseTerminal = z.strictObject({});

export const TerminalExitView = z.object({
  exit_code: z.int().nullable().describe("null: a signal ended it, or nobody saw it"),
  signal: z.string().nullable(),
  limit: z.enum(["memory", "processes"]).nullable().describe("it went over this and was stopped"),
  lost: z.boolean().describe("its host died: what it printed is gone too"),
});
export type TerminalExitView = Readonly<z.infer<typeof TerminalExitView>>;

export const TerminalView = z.object({
  terminal_id: z.string(),
  session_id: SessionId,
  workspace: z.string(),
  shell: z.string(),
  sandbox: z.enum(["none", "bubblewrap"]).describe("none: it runs with the person's own rights"),
  created_at: z.number().describe("unix seconds"),
  cols: Cols,
  rows: Rows,
  windows: z.int().nonnegative().describe("how many show it now"),
  exit: TerminalExitView.nullable().describe("null while it runs"),
});
export type TerminalView = Readonly<z.infer<typeof TerminalView>>;

export const TerminalsView = z.object({
  server_id: z.string().describe("another one: the terminals of before ended with their server"),
  available: z.boolean(),
  why_not: z.string().nullable().describe("why there are none here"),
  sandbox: z.enum(["none", "bubblewrap"]),
  most: z.int().positive().describe("how many a server holds"),
  terminals: z.array(TerminalView).describe("of this session"),
});
export type TerminalsView = Readonly<z.infer<typeof TerminalsView>>;

export const TerminalClosed = z.object({ terminal_id: z.string(), closed: z.literal(true) });

export const MAX_TERMINAL_INPUT = 16_384; // characters in one frame

export const TerminalRequest = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("input"),
    n: z.int().positive().describe("counts this window's inputs: the same one twice is taken once"),
    data: z.string().min(1).max(MAX_TERMINAL_INPUT),
  }),
  z.strictObject({ type: z.literal("resize"), cols: Cols, rows: Rows }),
  z.strictObject({ type: z.literal("ack"), offset: Place.describe("shown up to here") }),
]);
export type TerminalRequest = z.infer<typeof TerminalRequest>;

const Size = { cols: Cols, rows: Rows, by: z.string().describe("the window that chose the size") };

export const TerminalFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("attached"),
    terminal_id: z.string(),
    taken: z.int().nonnegative().describe("the last input of this window that was taken"),
    ...Size,
  }),
  z.object({ type: z.literal("output"), offset: Place, bytes: Place, data: z.base64() }),
  z
    .object({ type: z.literal("dropped"), from: Place, to: Place })
    .describe("no longer kept: the window was away, or too slow"),
  z.object({ type: z.literal("caught_up"), offset: Place }).describe("what follows happens"),
  z.object({ type: z.literal("size"), ...Size }),
  z.object({ type: z.literal("taken"), n: z.int().positive() }),
  z.object({ type: z.literal("exit"), exit: TerminalExitView, offset: Place }),
  z.object({
    type: z.literal("refused"),
    code: z.string(),
    message: z.string(),
    fatal: z.boolean().describe("this terminal cannot be shown; the socket closes"),
  }),
  z.object({ type: z.literal("heartbeat") }).describe("every ten seconds"),
  z.object({ type: z.literal("closed"), reason: z.enum(["person", "idle", "server"]) }),
]);
export type TerminalFrame = z.infer<typeof TerminalFrame>;

// Between the server and the process that runs the terminal; the frames above are built from them.
export type TerminalSize = { readonly cols: number; readonly rows: number };
export type TerminalExit = Omit<TerminalExitView, "lost">;
/** `offset` is later than asked for where the ring has dropped older output. */
export type TerminalPart = {
  readonly offset: number;
  readonly bytes: number;
  readonly data: string; // base64
  /** How much there is so far. */
  readonly total: number;
  /** There will be nothing more. */
  readonly over: boolean;
};
