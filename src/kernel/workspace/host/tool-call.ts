// What a tool receives beside its input. `begin` is called directly before every effect: a runner whose claim expired
// while it was suspended must not change anything when it wakes up (X5).
import { ToolError } from "./tool-error.ts";
import type { OutputStream, ToolResult } from "./frames.ts";
import type { ProcessGroups } from "../processes/groups.ts";
import type { Processes } from "../processes/processes.ts";
import type { Watchdog } from "./watchdog.ts";
import type { Workspace } from "./workspace.ts";

export type ToolCall = {
  readonly workspace: Workspace;
  readonly groups: ProcessGroups;
  readonly watch: Watchdog;
  readonly processes: Processes;
  readonly signal: AbortSignal;
  /** Names and values of the marks every command of this call carries. */
  readonly marks: Readonly<Record<string, string>>;
  /** Throws instead of letting an effect begin after the claim or after an abort. */
  begin(): void;
  /** Settles when there is room for more: wait for it before reading on. */
  output(stream: OutputStream, data: Buffer): Promise<void>;
};

export type Tool = (input: unknown, call: ToolCall) => Promise<ToolResult>;

export function refuseLateStart(notAfter: bigint, signal: AbortSignal): void {
  if (signal.aborted) throw new ToolError("aborted", "The call was aborted before it began");
  if (process.hrtime.bigint() > notAfter) {
    throw new ToolError("claim_expired", "The runner's claim ended before the call began");
  }
}
