// Records of the HTTP API beside commands, defined once for the journal that stores them, the client that reads them and
// the OpenAPI document. Answers are not validated when they are sent; a test checks them against these schemas.
import { z } from "zod";
import { RequestRecord } from "./inbox.ts";
import { FileChange, FileVersion } from "../../events/catalogue/files.ts";
import { Budget, RunFailure, Usage } from "../../events/catalogue/lifecycle.ts";
import { Rule } from "../../events/catalogue/permissions.ts";
import { RunId, SessionId } from "../../events/ids.ts";
import { CONTROLS, RUN_STATUSES } from "../../state/run/status.ts";

const RunStatus = z.enum(RUN_STATUSES);
const Seconds = z.number().describe("unix seconds");

export const RunRecord = z.object({
  run_id: RunId,
  session_id: SessionId,
  status: RunStatus,
  seq: z.int().nonnegative(),
  prompt: z.string(),
  model: z.string(),
  workspace: z.string(),
  profile: z.string(),
  parent_run_id: RunId.nullable(),
  depth: z.int().nonnegative(),
  rewound_at: z
    .int()
    .nullable()
    .describe("session_seq of what undid or replaced it: no longer part of the conversation"),
  fence: z.int().nonnegative().describe("how often the run was claimed"),
  runner_id: z.string().nullable(),
  created_at: Seconds,
  updated_at: Seconds,
  ended_at: Seconds.nullable(),
  quarantined: z.string().nullable().describe("why its events are not served, or null"),
});
export type RunRecord = Readonly<z.infer<typeof RunRecord>>;

export const SessionRecord = z.object({
  session_id: SessionId,
  seq: z.int().nonnegative().describe("session_seq of its newest event"),
  title: z.string(),
  source: z.string(),
  workspace: z.string(),
  model: z.string(),
  profile: z.string(),
  parent_session_id: SessionId.nullable(),
  project_id: z.string().nullable(),
  yolo: z.boolean().describe("everything that would be asked is allowed"),
  title_source: z.enum(["prompt", "model", "user"]),
  goal: z.object({ text: z.string(), status: z.enum(["active", "paused"]) }).nullable(),
  active_run_id: RunId.nullable(),
  active_status: RunStatus.nullable(),
  pending: z.int().nonnegative().describe("how many requests wait for a person"),
  pinned: z.boolean(),
  activity: z
    .object({ text: z.string().describe("a few words"), since: Seconds })
    .nullable()
    .describe("what its run is doing now"),
  last_status: RunStatus.nullable().describe(
    "how its newest run that ended did; undone ones left out",
  ),
  created_at: Seconds,
  updated_at: Seconds,
});
export type SessionRecord = Readonly<z.infer<typeof SessionRecord>>;

/** A session as lists show it. */
export const SessionSummary = SessionRecord.extend({
  deleted: z.boolean(),
  messages: z.int().nonnegative().describe("what people and models said"),
  preview: z.string().describe("the beginning of the newest message"),
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  total_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
  tool_calls: z.int().nonnegative(),
  attachments: z.int().nonnegative(),
  subagents: z.int().nonnegative(),
});
export type SessionSummary = Readonly<z.infer<typeof SessionSummary>>;

export const UsageTotals = z.object({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  total_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
  runs: z.int().nonnegative(),
});
export type UsageTotals = Readonly<z.infer<typeof UsageTotals>>;

export const ProjectRecord = z.object({
  project_id: z.string(),
  name: z.string(),
  workspace: z.string().nullable(),
  profile: z.string().nullable(),
  model: z.string().nullable(),
  instructions: z.string().nullable(),
  metadata: z.record(z.string(), z.json()),
  permissions: z.array(Rule),
  budget: Budget.nullable(),
  created_at: Seconds,
  updated_at: Seconds,
});
export type ProjectRecord = Readonly<z.infer<typeof ProjectRecord>>;

/** What a run and its subagents have used so far. */
export const SpentRecord = z.object({
  tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
  unpriced: z.boolean().describe("some of it has no known price"),
  tool_calls: z.int().nonnegative(),
});
export type SpentRecord = Readonly<z.infer<typeof SpentRecord>>;

/** One change of one file by one call, in the order it happened. */
export const ChangeRecord = FileChange.extend({
  run_id: RunId,
  call_id: z.string(),
  checkpoint_id: z.string(),
  seq: z.int().positive(),
  session_seq: z.int().positive(),
  workspace: z.string(),
});
export type ChangeRecord = Readonly<z.infer<typeof ChangeRecord>>;

export const ChangesView = z.object({
  changes: z.array(ChangeRecord),
  truncated: z.boolean().describe("there are more, newer ones"),
});
export type ChangesView = Readonly<z.infer<typeof ChangesView>>;

/** A file from before the first change to after the last one. */
export const FileDiff = z.object({
  path: z.string(),
  workspace: z.string(),
  before: FileVersion.nullable(),
  after: FileVersion.nullable(),
  text: z.string().describe("a unified diff; empty when binary"),
  added: z.int().nonnegative().describe("lines"),
  removed: z.int().nonnegative(),
  binary: z.boolean(),
  truncated: z
    .boolean()
    .describe("the text is cut, or left out: too large, or its content is gone"),
});
export type FileDiff = Readonly<z.infer<typeof FileDiff>>;
export const DiffView = z.object({
  files: z.array(FileDiff),
  truncated: z.boolean().describe("not every file or diff is here"),
});
export type DiffView = Readonly<z.infer<typeof DiffView>>;

export const RulesView = z.object({ rules: z.array(Rule) });
export const ProjectsView = z.object({ projects: z.array(ProjectRecord) });

/** The reconnect metadata of a run. */
export const RunView = RunRecord.extend({
  epoch: z.string(),
  last_event_id: z.string().nullable(),
  terminal_state: RunStatus.nullable(),
  result: z.string().nullable(),
  error: RunFailure.nullable(),
  usage: Usage.nullable(),
  active_controls: z.array(z.enum(CONTROLS)),
  pending_approval_id: z.string().nullable(),
  pending_clarify_id: z.string().nullable(),
  pending: z.array(RequestRecord),
  active_run_id: RunId.nullable(),
});

/** A fold of the run up to `seq`: continue with the events after it, or discard it. */
export const SnapshotView = z.object({
  run_id: RunId,
  epoch: z.string(),
  seq: z.int().nonnegative(),
  state: z
    .looseObject({ reducer: z.int(), seq: z.int(), items: z.array(z.looseObject({})) })
    .describe("the reducer's state; readable only by the same `reducer` version"),
});

export const SessionPage = z.object({
  sessions: z.array(SessionRecord),
  limit: z.int(),
  offset: z.int(),
});
export const SessionView = z.object({
  session: SessionRecord,
  epoch: z.string(),
  branched_from: z
    .object({ session_id: SessionId, run_id: RunId, seq: z.int().positive() })
    .nullable()
    .describe("the event its past ends with"),
  runs: z.array(RunRecord),
  pending: z.array(RequestRecord),
});
export type SessionView = Readonly<z.infer<typeof SessionView>>;
export const PendingView = z.object({ pending: z.array(RequestRecord) });

export const StorageView = z.object({
  backend: z.enum(["sqlite", "postgres"]),
  away: z
    .object({ since: z.number().describe("unix seconds"), problem: z.string() })
    .nullable()
    .describe("the database does not answer; null: it does"),
});

export const StatusView = z.object({
  version: z.string(),
  model: z.object({
    provider: z.string(),
    id: z.string(),
    label: z.string(),
    demo: z.boolean(),
  }),
  sandbox: z.enum(["none", "bubblewrap"]),
  found: z.array(z.object({ name: z.string(), detail: z.string() })),
  epoch: z.string(),
  workspace: z.string(),
  runners: z.array(
    z.object({
      pid: z.int(),
      id: z.string(),
      runs: z.array(RunId),
      volumes: z.array(z.string()).describe("that it reaches"),
    }),
  ),
  waiting_volumes: z
    .array(z.object({ volume: z.string(), runs: z.array(RunId) }))
    .describe("that runs wait for and no runner reaches"),
  storage: StorageView,
  media: z
    .object({ transcription: z.boolean(), speech: z.boolean() })
    .describe("what can be done with sound; `/api/media` says where"),
});
export type StatusView = Readonly<z.infer<typeof StatusView>>;

/** A model that could be used now. `found`: how we know of it. */
export const ListedModel = z.object({
  provider: z.string(),
  id: z.string(),
  contextWindow: z.int().nullable(),
  priced: z.boolean(),
  found: z.string(),
});
export const ModelsView = z.object({ models: z.array(ListedModel) });
export type ModelsView = Readonly<z.infer<typeof ModelsView>>;
export const ProfilesView = z.object({ profiles: z.array(z.string()) });
export type ProfilesView = Readonly<z.infer<typeof ProfilesView>>;

export const Login = z.strictObject({ code: z.string().min(1).max(200) });
export const LoginView = z.object({ authenticated: z.literal(true), csrf: z.string() });
export const TicketView = z.object({ ticket: z.string(), expires_in: z.int() });
export const AuthView = z.object({ authenticated: z.literal(true), required: z.boolean() });
export const KillRunner = z.strictObject({ run_id: RunId });
export const KilledView = z.object({ killed_pid: z.int() });

/** Sent by a stream about every ten seconds: the connection is alive, and this is the epoch. */
export const Heartbeat = z.object({ epoch: z.string(), head: z.int(), at: Seconds });

export * from "./models.ts";
export * from "./inbox.ts";
export * from "./attachments.ts";
export * from "./git.ts";
export * from "./processes.ts";
export * from "./workspace.ts";
export * from "./search.ts";
