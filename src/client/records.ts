// What the server's reads answer with. Declared here and not imported from `journal`: a window knows
// the wire, never the store. Unknown fields are ignored (rule S4).
import type { RunStatus } from "../protocol/run-status.ts";

export type SessionRecord = {
  readonly session_id: string;
  readonly seq: number;
  readonly title: string;
  readonly source: string;
  readonly workspace: string;
  readonly model: string;
  readonly profile: string;
  readonly parent_session_id: string | null;
  readonly active_run_id: string | null;
  readonly active_status: RunStatus | null;
  readonly pending: number;
  readonly created_at: number;
  readonly updated_at: number;
};

export type RunRecord = {
  readonly run_id: string;
  readonly session_id: string;
  readonly status: RunStatus;
  readonly seq: number;
  readonly prompt: string;
  readonly model: string;
  readonly parent_run_id: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly ended_at: number | null;
};

export type SessionDetails = {
  readonly session: SessionRecord;
  readonly runs: readonly RunRecord[];
};

export type ServerStatus = {
  readonly version: string;
  readonly epoch: string;
  readonly model: {
    readonly provider: string;
    readonly id: string;
    readonly label: string;
    readonly demo: boolean;
  };
  readonly sandbox: "none" | "bubblewrap";
  readonly workspace: string;
  readonly runners: readonly {
    readonly pid: number;
    readonly id: string;
    readonly runs: readonly string[];
  }[];
  readonly found: readonly { readonly name: string; readonly detail: string }[];
};
