// What a run is given besides its journal: its profile's voice, tools, rules and limits. Asked once
// per claimed run, so an edit of a profile counts from the next run (or recovery) on.
import type { Budget } from "../../events/catalogue/lifecycle.ts";
import type { Rule } from "../../events/catalogue/permissions.ts";
import type { RunState } from "../../state/run/state.ts";
import type { Toolset } from "../tools/toolset.ts";

export type Policy = {
  readonly rules: readonly Rule[];
  readonly budget: Budget | null;
  readonly approvalExpiresS: number | null;
  readonly titles: boolean;
};

export type Agent = {
  readonly policy: Policy;
  readonly toolset: Toolset;
  /** What it has to do without, in words for people. */
  readonly problems: readonly string[];
  /** The system prompt as of now: memory may have changed since the last turn. */
  readonly system: (state: RunState) => Promise<string>;
};
export type AgentOf = (state: RunState, signal: AbortSignal) => Promise<Agent>;

/** The run cannot begin because of how it is set up; the message says what to put right. */
export class AgentError extends Error {
  override name = "AgentError";
}
