// One call of the tool host on behalf of a tool: the claim's end and the run's mark go with it, and a
// host that died leaves an unknown outcome, never a failure.
import type {
  ToolHostResult,
  ToolOutput,
  ToolCallRequest,
} from "../../workspace/client/tool-host/client.ts";
import { OutcomeUnknown, type HostGrants, type ToolContext, type ToolResult } from "./tool.ts";

export type HostCall = {
  readonly tool: ToolCallRequest["tool"];
  readonly input: unknown;
  readonly grants?: HostGrants;
  readonly onOutput?: (output: ToolOutput) => Promise<void>;
};

export async function callHost(
  { log, host, claimedUntil, signal }: Omit<ToolContext, "item">,
  { tool, input, grants, onOutput }: HostCall,
): Promise<ToolHostResult> {
  const answer = await host(grants).call({
    tool,
    input,
    marker: log.claim.runId,
    notAfter: await claimedUntil(),
    signal,
    ...(onOutput && { onOutput }),
  });
  if (!answer.ok && answer.error.code === "host_died")
    throw new OutcomeUnknown(answer.error.message);
  return answer;
}

export function failed(answer: ToolHostResult & { ok: false }): ToolResult {
  return { ok: false, result: null, error: answer.error };
}
