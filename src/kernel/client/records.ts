// Response types under the names that windows use. Unknown fields are ignored (E8).
import type { StatusView } from "../api/records/records.ts";

export type { RequestRecord, RunRecord, SessionRecord } from "../api/records/records.ts";
export type ServerStatus = StatusView;
