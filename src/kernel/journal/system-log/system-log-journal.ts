// The interface of the system log.
import type { SystemDraft } from "../../events/system-events.ts";

/** Filters for events of the system log; all of them must match. */
export type SystemLogQuery = {
  readonly before?: number; // seq
  readonly types?: readonly string[];
  readonly by?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
};

/** Events outside any session: who logged in, answered, changed or exported what. */
export interface SystemLog {
  /** The event types that the system log may hold. */
  readonly types: readonly string[];
  /** Durable when it resolves. Returns the last event's id. */
  note(drafts: readonly SystemDraft[]): Promise<string>;
  /** As they are stored, newest first. */
  events(query: SystemLogQuery): Promise<readonly string[]>;
}
