// Events from a file that anyone may have made, one by one and together: each is one this build knows, their numbers
// have no holes, their chain holds where nothing was taken out, and the page's own folds can take them.
import { z } from "zod";
import { GENESIS, MAX_EVENT_CHARS, verify } from "../../../kernel/journal/hash-chain.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { envelope } from "../../../kernel/events/event.ts";
import { draftProblem, type Draft, type RunEvent } from "../../../kernel/events/events.ts";
import { emptyFolded, foldEvents, type Folded } from "../../../kernel/state/folded.ts";
import { RunId, SessionId } from "../../../kernel/events/ids.ts";
import type { RecordingManifest } from "../../../kernel/events/recording-file.ts";

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Envelope = z.strictObject({
  ...envelope,
  run_id: z.union([RunId, SessionId]),
  session_id: SessionId,
  epoch: z.string().max(128),
  type: z.string().max(80),
  created_at: z.number().min(0).max(1e11),
  payload: z.record(z.string(), z.unknown()),
  prev_hash: Sha256,
  hash: Sha256,
  redacted: z.literal(true).optional(),
});
type Checked = z.infer<typeof Envelope>;
type Log = { seq: number; hash: string; at: number; ended: boolean };

const MAX_CHARS = MAX_EVENT_CHARS * 2; // what was taken out may have left a longer mark
const KNOWN_EXTENSION = /^x\./;

export type EventChecks = {
  /** Throws a refusal that names the line. */
  readonly add: (line: string, value: unknown) => void;
  readonly end: () => void;
};

export function eventChecks(manifest: RecordingManifest): EventChecks {
  const logs = new Map<string, Log>();
  let [sessionSeq, count, redacted] = [0, 0, 0];
  let folded: Folded = emptyFolded(manifest.session_id);
  const refuse = (why: string) => {
    throw broken(`Event ${count}: ${why}`);
  };
  return {
    add(line, value) {
      count += 1;
      if (line.length > MAX_CHARS) refuse("it is too large.");
      const parsed = Envelope.safeParse(value);
      if (!parsed.success) return refuse(firstIssue(parsed.error));
      const event = parsed.data;
      const problem = placeProblem(event, manifest, sessionSeq) ?? payloadProblem(event);
      if (problem !== undefined) refuse(problem);
      const log = logs.get(event.run_id);
      const follows = followProblem(event, log, { line, manifest });
      if (follows !== undefined) refuse(follows);
      const { seq, hash, created_at: at, terminal: ended } = event;
      logs.set(event.run_id, { seq, hash, at, ended });
      sessionSeq = event.session_seq;
      if (event.redacted) redacted += 1;
      try {
        // As a window numbers them: a run's file has holes in the session's numbers.
        folded = foldEvents(folded, [{ ...(event as unknown as RunEvent), session_seq: count }]);
      } catch (error) {
        refuse(`it contradicts what came before it (${(error as Error).message}).`);
      }
    },
    end() {
      if (count === 0) throw broken("There is no event in it.");
      if (count !== manifest.events || redacted !== manifest.redacted) {
        throw broken("It does not have the events that it says it has.");
      }
    },
  };
}

function placeProblem(
  event: Checked,
  { kind, session_id }: RecordingManifest,
  before: number,
): string | undefined {
  const { seq, run_id, session_seq } = event;
  if (event.session_id !== session_id) return "it is of another session.";
  if (event.event_id !== `${run_id}:${seq}`) return "its id does not fit its place.";
  if (session_seq <= before) return "its number was there already.";
  if (kind === "session" && session_seq !== before + 1) return "events before it are missing.";
  return event.terminal === (event.type === "done") ? undefined : "it is no end of a run.";
}

function payloadProblem({ type, payload }: Checked): string | undefined {
  const problem = draftProblem({ type, payload } as unknown as Draft);
  if (problem === undefined) return undefined;
  if (problem.startsWith("unknown event type") && !KNOWN_EXTENSION.test(type)) {
    return `“${type}” is of a newer Quarterdeck, which this one cannot read.`;
  }
  return problem.slice(0, 500);
}

type Followed = { readonly line: string; readonly manifest: RecordingManifest };

function followProblem(
  event: Checked,
  log: Log | undefined,
  { line, manifest }: Followed,
): string | undefined {
  const { seq, run_id, created_at, prev_hash } = event;
  if (log?.ended) return "it comes after the end of its run.";
  if (log && created_at < log.at) return "it is older than the one before it.";
  // Of the session's own log a run's file has only some.
  const isWhole = run_id !== manifest.session_id || manifest.kind === "session";
  if (isWhole ? seq !== (log?.seq ?? 0) + 1 : seq <= (log?.seq ?? 0)) {
    return "the numbers of its run do not follow each other.";
  }
  const previous = isWhole ? (log?.hash ?? GENESIS) : undefined;
  if (previous !== undefined && prev_hash !== previous) return "the chain is broken before it.";
  if (event.redacted) return undefined; // its hash is of what it was
  return verify(line, previous) === event.hash ? undefined : "its hash does not fit its content.";
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "does not match"}.`.slice(0, 500);
}

export function broken(why: string): ApiError {
  return new ApiError("invalid_request", `This recording cannot be taken. ${why}`, {
    reason: "broken_recording",
  });
}
