// Takes out of an event what a policy leaves out. An event of which nothing was taken stays the same object, so that
// its stored bytes, and with them its hash, can be told as they are.
import { redactDraft, type Redact } from "../../../kernel/redact/draft.ts";
import type { Draft, EventType, PayloadOf, RunEvent } from "../../../kernel/events/events.ts";
import { own } from "../../../kernel/events/own.ts";
import type { SharePart } from "../../../kernel/events/share-policy.ts";

const LEFT_OUT = "[left out]";
const RUNNER = "runner";

type Changes = { readonly [Type in EventType]?: (payload: PayloadOf<Type>) => PayloadOf<Type> };

/** `files` leaves out contents, which are no part of events; `paths` is a matter of their words. */
const WITHOUT: Record<SharePart, Changes> = {
  files: {},
  paths: {},
  thinking: {
    "reasoning.delta": (p) => ({ ...p, delta: "" }),
    "reasoning.done": ({ provider_data: _data, ...p }) => ({ ...p, text: LEFT_OUT }),
  },
  "tool-output": {
    "tool.updated": (p) => ({ ...p, delta: "" }),
    "tool.done": ({ output: { bytes }, ...p }) => ({
      ...p,
      result: null,
      output: { head: LEFT_OUT, tail: "", bytes, sha256: null, truncated: false },
    }),
    "process.output": (p) => ({ ...p, text: "" }),
  },
  environment: {
    "session.created": (p) => ({ ...p, workspace: lastName(p.workspace) }),
    "session.updated": ({ workspace, permissions: _rules, ...p }) => ({
      ...p,
      ...(workspace !== undefined && { workspace: lastName(workspace) }),
    }),
    "run.queued": (p) => ({
      ...p,
      workspace: lastName(p.workspace),
      metadata: {},
      ...(p.project && { project: { ...p.project, metadata: {} } }),
    }),
    "run.started": (p) => ({ ...p, workspace: lastName(p.workspace), runner_id: RUNNER }),
    "turn.started": ({ policy: _policy, ...p }) => p,
    recovery: (p) => ({ ...p, previous_runner_id: null, runner_id: RUNNER }),
    "reasoning.done": ({ provider_data: _data, ...p }) => p,
    "tool.intent": ({ provider_data: _data, ...p }) => withPlace(p),
    "tool.replanned": (p) => withPlace(p),
    "approval.requested": (p) => withPlace(p),
  },
};

function withPlace<Payload extends { plan: { workspace: string } }>(payload: Payload): Payload {
  const { plan } = payload;
  return { ...payload, plan: { ...plan, workspace: lastName(plan.workspace) } };
}

/** Where a workspace lies on somebody's disk is their own affair; what it is called tells runs apart. */
function lastName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? "workspace";
}

export type Taking = { readonly without: readonly SharePart[]; readonly clean: Redact };

/** Without the parts that are named. What is left out is no longer looked at, nor counted. */
export function leftOut<Event extends RunEvent>(
  event: Event,
  without: readonly SharePart[],
): Event {
  const { payload: stored } = event as { payload: unknown };
  let payload = stored;
  for (const part of without) {
    const change = own(WITHOUT[part], event.type) as ((payload: unknown) => unknown) | undefined;
    const changed = change?.(payload);
    if (changed !== undefined && JSON.stringify(changed) !== JSON.stringify(payload)) {
      payload = changed;
    }
  }
  return payload === stored ? event : ({ ...event, payload } as Event);
}

export function cleaned<Event extends RunEvent>(event: Event, clean: Redact): Event {
  const { payload } = redactDraft({ type: event.type, payload: event.payload } as Draft, clean);
  return payload === event.payload ? event : ({ ...event, payload } as Event);
}

/** A path below somebody's home as `~/x`: whose machine it was is in nearly every path. */
const UNIX = String.raw`(?:\\?/|%2[Ff])`; // JSON may have it as \/, an address as %2F
const WINDOWS = String.raw`\\{1,2}`;
const NAME = String.raw`[^/\s"'${"`"}:;,()<>|\\%]+`;
const HOME = new RegExp(
  [
    `${UNIX}(?:home|Users)${UNIX}${NAME}`,
    `[A-Za-z]:${WINDOWS}[Uu]sers${WINDOWS}${NAME}`,
    String.raw`/root(?![\w.-])`,
  ].join("|"),
  "g",
);

export function withoutHomes(text: string): string {
  return text.replaceAll(HOME, "~");
}
