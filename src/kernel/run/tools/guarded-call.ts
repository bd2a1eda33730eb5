// Runs a command and takes back what it made of protected files without being allowed to (kernel/workspace/sandbox/guard.ts).
// Those that were there before are read-only in its sandbox. Without a sandbox nothing is taken back:
// then every command was allowed by a person, and whose change it was cannot be told.
import { join } from "node:path";
import { HostRefused, storeBlob } from "../checkpoints/file-versions.ts";
import type { RunLog } from "../loop/run-log.ts";
import type { ToolHost } from "../../workspace/client/tool-host/client.ts";
import type { Guarded, TakenBack } from "../../workspace/sandbox/guard.ts";
import type { HostGrants, ToolContext, ToolResult } from "./tool.ts";

const PATIENCE_MS = 60_000;
type Context = Pick<ToolContext, "log" | "host" | "claimedUntil">;

export type GuardedAnswer<Answer> = {
  readonly answer: Answer;
  readonly taken: readonly TakenBack[];
};

export async function guarded<Answer>(
  context: Context,
  grants: HostGrants,
  call: () => Promise<Answer>,
): Promise<GuardedAnswer<Answer>> {
  if (!isGuarded(context.log, grants)) {
    const answer = await call();
    await allowChanges(context);
    return { answer, taken: [] };
  }
  const before = await protectedNow(context);
  try {
    const answer = await call();
    return { answer, taken: await takeBack(context, before) };
  } catch (error) {
    await takeBack(context, before); // also when the command has ended its own host
    throw error;
  }
}

type Background = { known: Guarded; readonly hosts: Set<ToolHost> };
/** Protected files when the first command in the background began, and the hosts of all of them. */
const sinceBackground = new WeakMap<RunLog, Background>();

export async function guardBackground(context: Context, grants: HostGrants): Promise<void> {
  const { log, host } = context;
  if (!isGuarded(log, grants)) return;
  let since = sinceBackground.get(log);
  if (!since) {
    since = { known: foundIn(await ask<Found>(context, {})), hosts: new Set() };
    sinceBackground.set(log, since);
  }
  since.hosts.add(host(grants));
}

/** What a person allowed a command to change is not of one in the background. */
async function allowChanges(context: Context): Promise<void> {
  const since = sinceBackground.get(context.log);
  if (since) since.known = (await ask<Found>(context, {})).found;
}

/** Once the commands in the background have ended. */
export async function checkBackground(context: Context): Promise<void> {
  if (!sinceBackground.has(context.log)) return;
  // A host that cannot look any more has nobody left to tell: the run ends all the same.
  await protectedNow(context)
    .then((before) => takeBack(context, before))
    .catch((error: unknown) => {
      if (!(error instanceof HostRefused)) throw error;
    });
  sinceBackground.delete(context.log);
}

export function withTaken(result: ToolResult, taken: readonly TakenBack[]): ToolResult {
  if (taken.length === 0) return result;
  const message =
    `The command changed protected files, which was taken back: ${namesOf(taken)}. ` +
    "If they must change, call again with protected: true; a person is asked then.";
  const fields = typeof result.result === "object" && result.result !== null ? result.result : {};
  const paths = taken.map(({ path, was, failed }) => ({ path, was, ...(failed && { failed }) }));
  return {
    ...result,
    ok: false,
    result: { ...fields, ok: false, taken_back: paths },
    error: { code: "protected", message },
  };
}

function isGuarded({ state }: RunLog, grants: HostGrants): boolean {
  return state.sandbox === "bubblewrap" && grants.protected !== true;
}

type Found = { readonly found: Guarded; readonly overfull: boolean };

function foundIn({ found, overfull }: Found): Guarded {
  if (!overfull) return found;
  const message = "There are more protected files than can be watched: call with protected: true.";
  throw new HostRefused("protected", message);
}

/** What is new since a command in the background began may be of it; so may changes where nothing keeps it from them. */
async function protectedNow(context: Context): Promise<Guarded> {
  const { log } = context;
  const found = foundIn(await ask<Found>(context, {}));
  const since = sinceBackground.get(log);
  if (!since) return found;
  const fixed = [...since.hosts].map((host) => new Set(host.fixed));
  const entries = Object.entries(found).flatMap(([path, now]) => {
    const earlier = since.known[path];
    if (earlier === undefined) return [];
    const isFixed = fixed.every((paths) => paths.has(join(log.workspace, path)));
    return [[path, isFixed && now.kind !== "link" ? now : earlier] as const];
  });
  return Object.fromEntries(entries);
}

async function takeBack(context: Context, before: Guarded): Promise<readonly TakenBack[]> {
  const { taken } = await ask<{ readonly taken: readonly TakenBack[] }>(context, { before });
  if (taken.length === 0) return taken;
  const { log } = context;
  const kept: string[] = [];
  for (const [path, content] of taken.flatMap(({ contents }) => Object.entries(contents))) {
    const sha256 = await storeBlob(log.journal.blobs, Buffer.from(content, "base64"));
    kept.push(`${path} is kept as ${sha256}`);
  }
  const message = [
    `Protected files were changed, which was taken back: ${namesOf(taken)}`,
    ...kept,
  ];
  const payload = {
    phase: "protected",
    message: message.join("; ").slice(0, 2_000),
    call_id: null,
  };
  await log.append([{ type: "progress", payload }]).catch(() => undefined); // the claim was lost
  return taken;
}

function namesOf(taken: readonly TakenBack[]): string {
  return taken
    .map(({ path, was, failed }) => `${path} (${was}${failed ? `, but ${failed}` : ""})`)
    .join(", ");
}

/** Not with the call's signal: what a command did before it was cancelled counts too. */
async function ask<Answer>({ log, host, claimedUntil }: Context, input: object): Promise<Answer> {
  const answer = await host().call({
    tool: "guard",
    input,
    marker: log.claim.runId,
    notAfter: await claimedUntil(),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!answer.ok) {
    const { code, message } = answer.error;
    throw new HostRefused(code, `Protected files cannot be looked after: ${message}`);
  }
  return answer.result as Answer;
}
