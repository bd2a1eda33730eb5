// What a tool is: its name and schema for the model, its risk and replay contract for the runner,
// its label for people, and the function that does it once everything else has been settled.
import type { z } from "zod";
import type { BoundedText, Risk } from "../../events/catalogue/tools.ts";
import type { OpenTool } from "../../state/run/items.ts";
import type { ToolName } from "../../state/tools/display.ts";
import type { RunLog } from "../loop/run-log.ts";
import type { ToolHost } from "../../workspace/client/tool-host/client.ts";

/** What a tool host may reach beside the workspace. Each combination is a host of its own. */
export type HostGrants = {
  /** Absent: for files only; no command runs beside them that could disturb or watch it. */
  readonly network?: boolean;
  /** Protected files of the workspace may be changed. */
  readonly protected?: boolean;
  /** Absolute paths that rules deny: not there for commands. */
  readonly hidden?: readonly string[];
  /** Of a host that has begun already (process-ids.ts): found by it, whatever is hidden now. */
  readonly tag?: string;
  /** A server of foreign tools: it has a host and a folder of its own, which its secrets never share with commands. */
  readonly keeper?: string;
  /** Instead of the workspace: a directory outside of it that a person allowed. */
  readonly root?: string;
};

/** On the clock of process.hrtime.bigint(): after it our claim may be somebody else's. */
export type ClaimedUntil = () => bigint | Promise<bigint>;

export type ToolContext = {
  readonly log: RunLog;
  readonly item: OpenTool; // as it was when the call began; `item.request` holds an earlier answer
  readonly host: (grants?: HostGrants) => ToolHost;
  readonly claimedUntil: ClaimedUntil;
  readonly signal: AbortSignal;
  /** For tools that look through folders: patterns of what rules forbid in them. Absent: nothing. */
  readonly forbidden?: () => Promise<readonly string[]>;
  /** For commands: paths that rules deny, as they are on the disk now. */
  readonly hidden?: () => Promise<readonly string[]>;
};

export type ToolResult = {
  readonly ok: boolean;
  readonly result: unknown; // JSON
  readonly output?: BoundedText;
  readonly exitCode?: number | null;
  readonly error?: { code: string; message: string } | null;
};

/** What a call reaches for: permissions are decided on this and never on a tool's own word of its harmlessness. */
export type Access =
  | { readonly kind: "read" | "write"; readonly path: string }
  | Execute
  | { readonly kind: "network"; readonly url: string }
  | Foreign;

/** A tool of an MCP server, as described. */
export type Foreign = {
  readonly kind: "foreign";
  readonly schema: string;
  /** Absent in a recording: nobody knows any more which program it was. */
  readonly server?: { readonly name: string; readonly program: string };
};

export type Execute = {
  readonly kind: "execute";
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly network: boolean;
  readonly protected?: boolean | undefined; // it wants to change protected files
  /** Which content the files it executes have, from the plan. */
  readonly files?: Readonly<Record<string, string>> | undefined;
};

/** The tool may or may not have had its effect; only a person can say what to do (X3). */
export class OutcomeUnknown extends Error {
  override name = "OutcomeUnknown";
}

/** Paths as tools take them, or anything in the workspace. */
export type Touched = readonly string[] | "workspace";

export type Tool<Input = unknown> = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** For foreign tools, whose schema is not ours: what the model is shown instead of `input`. */
  readonly inputSchema?: Record<string, unknown>;
  readonly schemaHash?: string;
  readonly risk: Risk;
  /** safe: doing it again changes nothing. ask: after a crash a person decides. */
  readonly replay: "safe" | "ask";
  /** Calls of one step normally run side by side; these run one after another, as they were made. */
  readonly inOrder?: true;
  /** Not offered to models: only people's commands make such calls. */
  readonly internal?: true;
  readonly label: (input: Input) => string;
  /** Absent: the call reaches for nothing outside the journal. */
  readonly access?: (input: Input) => readonly Access[];
  /** Which files the call may change. Checkpointed before. */
  readonly touches?: (input: Input, context: ToolContext) => Touched | Promise<Touched>;
  readonly execute: (input: Input, context: ToolContext) => Promise<ToolResult>;
  /** Finds out whether a call whose outcome is unknown took effect, where that can be told. */
  readonly check?: (input: Input, context: ToolContext) => Promise<ToolResult | undefined>;
};

/** A tool of ours: how it is shown is decided in `display.ts`, or its name does not compile. */
export function defineTool<Input>(
  tool: Tool<Input> & { readonly name: ToolName | `browser_${string}` },
): Tool {
  return defineForeignTool(tool);
}

/** A tool of somebody else's, under whatever name. */
export function defineForeignTool<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

export const NO_OUTPUT: BoundedText = {
  head: "",
  tail: "",
  bytes: 0,
  sha256: null,
  truncated: false,
};

export function textOutput(text: string): BoundedText {
  return { ...NO_OUTPUT, head: text, bytes: Buffer.byteLength(text) };
}

export function failure(code: string, message: string): ToolResult {
  return { ok: false, result: null, error: { code, message } };
}
