// What the journal keeps for notifications of browsers.
import type { RunRecord } from "../../../kernel/api/records/records.ts";

/** A browser that wants to be told, as the Push API describes it. */
export type PushSubscription = {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly label: string;
  readonly created_at: number;
};
export type EndedRun = {
  readonly run_id: string;
  readonly session_id: string;
  readonly title: string;
  readonly status: RunRecord["status"];
  readonly ended_at: number;
};

export interface Push {
  pushSubscriptions(): Promise<readonly PushSubscription[]>;
  addPush(subscription: Omit<PushSubscription, "created_at">): Promise<void>;
  /** False when there was none. */
  removePush(endpoint: string): Promise<boolean>;
  /** True once per key, whatever the number of servers and restarts. */
  claimPush(key: string): Promise<boolean>;
  /** Root runs that ended since then, oldest first. */
  endedRuns(since: number): Promise<readonly EndedRun[]>;
}
