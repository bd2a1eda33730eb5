// Adds a copy of itself to every row except those of events: see row-copies.ts. A column that is added later needs a
// migration that recreates the triggers of its table.
import { addCopies, type Copied } from "../sqlite/row-copies.ts";

export const COPIED = {
  changes: "log_key#* seq#* session_key# session_seq# body",
  channel_messages:
    "arrival# session_id message_id text_hash run_id after_seq# created_at# replied_at#",
  commands: "scope* key* fingerprint outcome created_at#",
  cron_jobs: "job_id body anchor_at# next_at# decided_to# paused# removed# created_at# updated_at#",
  cron_ticks: "seq# job_id due_at# through_at# times# result reason decided_at# run_id session_id",
  deliveries: "run_id job_id session_id target state reason changed_at#",
  gateway_codes: "platform user_id hash expires_at# tries# told# asked_at#",
  gateway_conversations:
    "session_id platform channel_id told_seq# last_message_id last_user_id updated_at#",
  gateway_leases: "platform holder lease_until#",
  gateway_messages:
    "message_key# platform channel_id part run_id request body platform_message_id content_hash state problem created_at# updated_at#",
  gateway_people: "platform user_id user_name channel_id state expires_at# updated_at#",
  gateway_platforms:
    "platform enabled# mode allow home_channel state account error_code error_message revision# updated_at#",
  grants: "request_id* profile rule",
  home_notes: "home* kind* profile* name* hash at# actor action source installed_hash",
  house_entries: "seq# at# type actor",
  insight_backlog: "log_key# seq# counted#",
  insight_tools: "slot#* session_key#* tool* calls# failures# denied# ms#",
  insights:
    "slot#* session_key#* model* profile* workspace* model_calls# unpriced_calls# model_errors# model_ms# input_tokens# output_tokens# total_tokens# cost_usd# tool_calls# tool_failures# tool_ms# runs# failed_runs# cancelled_runs# run_ms# events#",
  login_codes: "hash* expires_at#",
  logs: "log_key# log_id kind session_key# seq#! hash! checksum#! chars#! last_at#! quarantined fence# runner_id lease_until# status prompt model workspace parent_run_id depth# created_at# ended_at# profile message_id position# direct rewound_at# tokens# cost_usd# unpriced# tool_calls# input_tokens# output_tokens# attachments# activity activity_at# dismissed# volume handed_over#",
  messages: "message_key# log_key# seq# message_id role text created_at#",
  meta: "key* value",
  processes: "process_id* kind pid# started host url volumes",
  projects: "project_id* body created_at# updated_at#",
  push_sent: "key sent_at#",
  push_subscriptions: "endpoint p256dh auth label created_at#",
  requests:
    "request_id* log_key# session_key# kind call_id title prompt choices plan_hash expires_at# created_at# answer always",
  search_rows: "row_key# log_key# seq# kind role tool created_at# about text",
  sessions:
    "session_key# session_id seq#! title source workspace model profile parent_session_id goal_text goal_status created_at# updated_at#! project_id yolo# title_source permissions branched_from deleted# title_key updated_hour# pinned# claimed_at# skills",
  skill_uses: "profile* name* uses# last_at#",
  traces: "run_id* seq# exporter lease_until#",
  usage: "created_at#* log_key#* seq#* input_tokens# output_tokens# total_tokens# cost_usd#",
} as const satisfies Copied;

/** The checksum of stored folds did not cover their log; they are deleted and made again when needed. */
export const rowCopies = `DELETE FROM snapshots;\n${addCopies(COPIED)}`;
