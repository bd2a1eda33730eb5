// Converts rows to runs and requests as the API returns them.
import { RequestRecord } from "../../api/records/inbox.ts";
import { RUN_STATUSES } from "../../state/run/status.ts";
import { integer, json, nullable, oneOf, real, rowsOf, text } from "../rows.ts";

export const RUN_ROW = rowsOf("logs", {
  run_id: text,
  session_id: text,
  status: oneOf(RUN_STATUSES),
  seq: integer,
  prompt: text,
  model: text,
  workspace: text,
  profile: text,
  parent_run_id: nullable(text),
  depth: integer,
  rewound_at: nullable(integer),
  fence: integer,
  runner_id: nullable(text),
  created_at: real,
  updated_at: real,
  ended_at: nullable(real),
  quarantined: nullable(text),
});

export const REQUEST = {
  request_id: text,
  run_id: text,
  session_id: text,
  kind: oneOf(RequestRecord.shape.kind.options),
  call_id: nullable(text),
  title: text,
  prompt: text,
  choices: json<string[]>(),
  plan_hash: nullable(text),
  always: nullable(json<NonNullable<RequestRecord["always"]>>()),
  expires_at: nullable(real),
  created_at: real,
};
export const REQUEST_ROW = rowsOf("requests", REQUEST);
