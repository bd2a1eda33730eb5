// What the journal keeps of the house: its log.
import type { HouseDraft } from "../../events/house-events.ts";

/** Which events of the house; everything given must hold. */
export type HouseQuery = {
  readonly before?: number; // seq
  readonly types?: readonly string[];
  readonly by?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
};

/** What happens outside any session: who logged in, answered, changed, exported what. */
export interface House {
  /** All that its log may hold. */
  readonly types: readonly string[];
  /** Durable when it resolves. The last event's id. */
  note(drafts: readonly HouseDraft[]): Promise<string>;
  /** As they are stored, newest first. */
  events(query: HouseQuery): Promise<readonly string[]>;
}
