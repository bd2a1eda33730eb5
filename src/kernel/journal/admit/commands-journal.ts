// The commands of people and programs, as an interface; commands.ts implements them.
import type {
  Branch,
  CancelRun,
  ChannelText,
  Compress,
  CreateProject,
  CreateSession,
  EditMessage,
  KillProcess,
  MoveQueued,
  Outcome,
  ProcessInput,
  QueueMessage,
  Rerun,
  RespondApproval,
  RespondClarify,
  Retry,
  Rollback,
  RunCommand,
  SaveBlob,
  StartRun,
  Undo,
  UpdateGoal,
  UpdateProject,
  UpdateSession,
  UpdateTitle,
} from "../../events/commands.ts";
import type { ImportedFrom } from "../../events/recording-file.ts";

/** Defaults of new sessions, where neither the command nor its project sets a value. */
export type Defaults = {
  readonly model: string;
  readonly workspace: string;
  readonly profile?: string;
};
/** The idempotency key of a start, for windows that define their own (a header, the whole body). */
export type StartKey = { readonly scope: string; readonly key: string; readonly body: string };

/**
 * A device's message and the root run that answers it. Its reply is the first moment, at or after the
 * session's event `after_seq`, at which that run (subagents included) waits for a person or has ended.
 */
export type ChannelMessage = {
  readonly session_id: string;
  readonly message_id: string;
  readonly text_hash: string; // SHA-256
  readonly run_id: string;
  readonly after_seq: number; // a session_seq; 0: from the run's beginning
  readonly replied_at: number | null; // null: its reply was not sent on any socket yet
};
export type ChannelTaken = {
  readonly duplicate: boolean;
  readonly sameText: boolean; // false: a known id with another text, which was not accepted
  readonly message: ChannelMessage;
};

export type ImportSession = {
  readonly title: string;
  readonly from: ImportedFrom;
  readonly again: boolean;
};
/** What a person asks of a background command: input, or its end. */
export type ProcessRequest =
  | ({ readonly action: "input" } & ProcessInput)
  | ({ readonly action: "kill" } & KillProcess);

export interface Commands {
  startRun(command: StartRun, defaults: Defaults, same?: StartKey): Promise<Outcome>;
  /**
   * Once per message id of the session, forever. Starts a run; or, if the session's run waits for a person,
   * answers it: a question with the text, an approval or unknown outcome with one of its choices (`yes`, `no` too).
   * Any other text answers no approval: the message's reply is the request again, or the message is queued behind it.
   */
  takeChannelMessage(command: ChannelText, defaults: Defaults): Promise<ChannelTaken>;
  markReplied(message: Pick<ChannelMessage, "session_id" | "message_id">): Promise<void>;
  cancelRun(runId: string, command: CancelRun): Promise<Outcome | undefined>;
  /** Stops the session's active run; accepted without a run if there is none. A repeat refers to the same run. */
  stopActive(sessionId: string, command: CancelRun): Promise<Outcome | undefined>;
  respondApproval(
    ids: { runId: string; approvalId: string },
    command: RespondApproval & { by: string },
  ): Promise<Outcome | undefined>;
  respondClarify(
    ids: { runId: string; clarifyId: string },
    command: RespondClarify & { by: string },
  ): Promise<Outcome | undefined>;
  queueMessage(runId: string, command: QueueMessage): Promise<Outcome | undefined>;
  updateGoal(sessionId: string, command: UpdateGoal): Promise<Outcome | undefined>;
  createSession(command: CreateSession, defaults: Defaults): Promise<Outcome>;
  /** Imports a recording whose lines are in the blob store, as a read-only session. Once per `digest`, unless `again`. */
  importSession(command: ImportSession, defaults: Defaults): Promise<Outcome>;
  updateTitle(sessionId: string, command: UpdateTitle): Promise<Outcome | undefined>;
  updateSession(sessionId: string, command: UpdateSession): Promise<Outcome | undefined>;

  editMessage(
    ids: { runId: string; messageId: string },
    command: EditMessage,
  ): Promise<Outcome | undefined>;
  moveQueued(runId: string, command: MoveQueued): Promise<Outcome | undefined>;
  undo(sessionId: string, command: Undo): Promise<Outcome | undefined>;
  retry(sessionId: string, command: Retry): Promise<Outcome | undefined>;
  rerun(runId: string, command: Rerun): Promise<Outcome | undefined>;
  branch(sessionId: string, command: Branch): Promise<Outcome | undefined>;
  compress(sessionId: string, command: Compress): Promise<Outcome | undefined>;
  /** The content must already be in the blob store. */
  saveFile(sessionId: string, command: SaveBlob): Promise<Outcome | undefined>;
  runCommand(sessionId: string, command: RunCommand): Promise<Outcome | undefined>;
  /** The caller checks that the run has this process; a request for any other process has no effect. */
  askProcess(
    ids: { runId: string; processId: string },
    command: ProcessRequest,
  ): Promise<Outcome | undefined>;
  rollback(sessionId: string, command: Rollback): Promise<Outcome | undefined>;

  createProject(command: CreateProject): Promise<Outcome>;
  updateProject(projectId: string, command: UpdateProject): Promise<Outcome | undefined>;
  deleteProject(projectId: string): Promise<Outcome | undefined>;
}
