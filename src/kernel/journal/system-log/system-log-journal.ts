// What the journal keeps of the house: its log.
import type { SystemDraft } from "../../events/system-events.ts";

/** Which events of the house; everything given must hold. */
export type SystemLogQuery = {
  readonly before?: number; // seq
  readonly types?: readonly string[];
  readonly by?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
};

/** What happens outside any session: who logged in, answered, changed, exported what. */
export interface SystemLog {
  /** All that its log may hold. */
  readonly types: readonly string[];
  /** Durable when it resolves. The last event's id. */
  note(drafts: readonly SystemDraft[]): Promise<string>;
  /** As they are stored, newest first. */
  events(query: SystemLogQuery): Promise<readonly string[]>;
}
