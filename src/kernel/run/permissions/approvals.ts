// Which calls wait for a person, how they ask, and how long they wait. The answer is bound to the
// plan's hash: what was shown (or what a person made of it) is what runs, and nothing else.
import { planHash } from "../../journal/admit/plan-hash.ts";
import type { ApprovalChoice } from "../../events/catalogue/human.ts";
import type { RunPolicy } from "../../events/catalogue/lifecycle.ts";
import type { Rule } from "../../events/catalogue/permissions.ts";
import type { Draft } from "../../events/events.ts";
import type { RequestState, OpenTool } from "../../state/run/items.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import { existingPaths } from "./hidden-paths.ts";
import { decide, forbiddenPatterns, type Verdict } from "./permissions.ts";
import { expandHome, expandVolume } from "./permission-places.ts";
import type { Policy } from "./policy.ts";
import type { RunLog } from "../loop/run-log.ts";
import type { Access, Tool } from "../tools/tool.ts";

export type { Verdict } from "./permissions.ts";
type Asking = Pick<Policy, "rules" | "approvalExpiresS">;

export async function judge(
  log: RunLog,
  item: OpenTool,
  tool: Tool,
  policy: Asking,
): Promise<Verdict> {
  const { journal, claim } = log;
  const stale = staleSchema(item, tool);
  if (stale !== undefined) return { ...IGNORED, effect: "deny", reason: stale };
  const [session, rules, grantedSession] = await Promise.all([
    journal.reads.session(claim.sessionId),
    rulesFor(log, policy),
    journal.reads.granted(claim.sessionId, item.planHash),
  ]);
  const accesses = accessesOf(item, tool);
  if (accesses === undefined) return IGNORED;
  const verdict = decide({
    // A tool that says it reaches for nothing is believed by its list; only silence is taken at its risk.
    tool: { name: tool.name, risk: tool.access ? "none" : tool.risk },
    accesses,
    workspace: log.toLocalPath(item.plan.workspace),
    rules,
    grantedSession,
    yolo: session?.yolo === true,
    hidden: log.state.sandbox === "bubblewrap",
  });
  const wider = verdict.wider.map((it) => ({ ...it, rule: named(log, it.rule) }));
  return { ...verdict, always: verdict.always && named(log, verdict.always), wider };
}

/** A rule counts on every machine, so that it names a path as they all do. */
function named(log: RunLog, rule: Rule): Rule {
  return rule.path === undefined ? rule : { ...rule, path: log.toVolumePath(rule.path) };
}

const MAX_POLICY = 65_536; // characters

/** As the run's first turn records it, so that the run can be done again (Y7). Undefined: nothing is set. */
export async function policyToRecord(log: RunLog, policy: Policy): Promise<RunPolicy | undefined> {
  const all = (await allRules(log, policy)).map((rule) => JSON.stringify(rule));
  const { budget } = policy;
  if (all.length === 0 && budget === null) return undefined;
  const text = `[${[...new Set(all)].join(",")}]`;
  return { rules: text.length > MAX_POLICY ? null : (JSON.parse(text) as Rule[]), budget };
}

async function allRules(log: RunLog, { rules }: Pick<Policy, "rules">): Promise<readonly Rule[]> {
  const { journal, claim, state } = log;
  return [...rules, ...(await journal.reads.rules(claim.sessionId, state.profile))];
}

async function rulesFor(log: RunLog, policy: Pick<Policy, "rules">): Promise<readonly Rule[]> {
  const all = await allRules(log, policy);
  return all.map(expandHome).map((rule) => expandVolume(rule, log.volumes));
}

/** Patterns of files that a call must not come upon: denied, or to be asked about by themselves. */
export async function forbiddenTo(
  log: RunLog,
  tool: string,
  policy: Pick<Policy, "rules">,
): Promise<readonly string[]> {
  return forbiddenPatterns(await rulesFor(log, policy), tool);
}

/** Paths that commands of this call must not see. */
export async function hiddenFrom(
  log: RunLog,
  tool: string,
  policy: Pick<Policy, "rules">,
): Promise<readonly string[]> {
  const denials = (await rulesFor(log, policy)).filter(({ effect }) => effect === "deny");
  return existingPaths(forbiddenPatterns(denials, tool), log.workspace);
}

const IGNORED: Verdict = {
  effect: "ask",
  reason: "What it reaches for could not be told.",
  always: null,
  wider: [],
  repeatable: false,
};

/** Undefined: nobody can tell. */
export function accessesOf(item: OpenTool, tool: Tool): readonly Access[] | undefined {
  try {
    const { files } = item.plan; // as they were when the call was planned
    return (tool.access?.(item.plan.arguments) ?? []).map((access) =>
      access.kind === "execute" ? { ...access, files } : access,
    );
  } catch {
    return undefined; // arguments nobody checked: neither a switch nor an earlier yes covers that
  }
}

/** Arguments that were made for another description mean something else: the model has to look again. */
function staleSchema({ plan, name }: OpenTool, tool: Tool): string | undefined {
  if (plan.schema_hash === tool.schemaHash) return undefined;
  return `“${name}” was changed since this call was made. Look at how it is described now and call it again.`;
}

/**
 * Why a call that a person approved must not run after all; undefined: it is what they approved.
 * To be asked directly before it runs.
 */
export function notAsApproved(item: OpenTool, tool: Tool): string | undefined {
  const { request, plan } = item;
  const answer = request?.answer;
  if (request?.kind !== "approval" || answer?.status !== "approved") return "Nobody allowed this.";
  const edited = item.planHash !== request.planHash;
  if (planHash(plan) !== item.planHash || (edited && answer.choice !== "once")) {
    return "What is stored is not the plan that was allowed. Secrets are never stored: use them by name.";
  }
  return staleSchema(item, tool) ?? (edited ? misfit(item, tool) : undefined);
}

/** A person's own arguments were never checked, and what is left out of a plan was not shown. */
function misfit({ plan, planHash: hash }: OpenTool, tool: Tool): string | undefined {
  const parsed = tool.input.safeParse(plan.arguments);
  if (!parsed.success) {
    const why = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    return `The edited arguments do not fit the tool: ${why.join("; ")}`.slice(0, 1_000);
  }
  const meant = planHash({ ...plan, arguments: parsed.data as typeof plan.arguments });
  return meant === hash
    ? undefined
    : "The edited arguments have fields that the tool does not know.";
}

export function approvalDrafts(
  log: RunLog,
  item: OpenTool,
  verdict: Verdict,
  { approvalExpiresS }: Asking,
): Draft[] {
  const session: ApprovalChoice[] = verdict.repeatable ? ["session"] : [];
  const always: ApprovalChoice[] = verdict.always ? ["always"] : [];
  return [
    {
      type: "approval.requested",
      payload: {
        approval_id: approvalId(log, item),
        call_id: item.callId,
        title: `Allow ${item.name}?`,
        prompt: promptOf(item),
        risk: item.risk,
        plan: item.plan,
        plan_hash: item.planHash,
        choices: ["once", ...session, ...always, "deny"],
        reason: verdict.reason,
        always: verdict.always,
        ...(verdict.wider.length > 0 && { wider: [...verdict.wider] }),
        expires_at: approvalExpiresS === null ? null : log.state.updatedAt + approvalExpiresS,
      },
    },
    statusDraft("awaiting_approval"),
  ];
}

/** A call that is asked about again, with another plan or another attempt, asks something new. */
function approvalId(
  { claim }: RunLog,
  { callId, request, attempt, planHash: hash }: OpenTool,
): string {
  const id = `ap_${claim.runId}_${callId}`;
  return request === null && attempt === 0 ? id : `${id}_${attempt}_${hash.slice(0, 8)}`;
}

/** A command is shown whole. A label may have been cut. */
function promptOf({ plan, label }: OpenTool): string {
  const command = (plan.arguments as { command?: unknown } | null)?.command;
  return typeof command === "string" ? command : label;
}

const LONGEST_TIMER_MS = 86_400_000;

/**
 * Waits until the call's request is settled, or settles it as expired, which never means yes.
 *
 * How long it may wait was journaled with the request. What of that is over is what the journal knows
 * at the moment this process begins to wait (nothing for a fresh request; after a recovery the time
 * since it was asked, because a person had that time too), and from then on the monotonic clock alone
 * counts. So a jump of the wall clock while a runner waits changes nothing, and one that goes back
 * never does. A jump forward while no runner waits cannot be told from time that passed.
 */
export async function awaitAnswer(log: RunLog, { request }: OpenTool): Promise<void> {
  if (!request || request.expiresAt === null) return log.nextChange();
  const over = Math.max(0, log.state.updatedAt - request.at);
  const until = performance.now() + (request.expiresAt - request.at - over) * 1_000;
  while (log.state.pending[request.id]) {
    const rest = until - performance.now();
    if (rest > 0) await changeWithin(log, Math.min(rest, LONGEST_TIMER_MS));
    // Not if an answer was admitted since the last look: of the two the first counts.
    else await log.appendIfCurrent(expiredDrafts(log, request));
  }
}

function expiredDrafts({ state }: RunLog, { id, callId }: RequestState): Draft[] {
  const [next] = Object.values(state.pending)
    .filter((other) => other.id !== id)
    .toSorted((a, b) => a.at - b.at);
  const waiting = next?.kind === "approval" ? "awaiting_approval" : "awaiting_clarify";
  return [
    {
      type: "approval.resolved",
      payload: {
        approval_id: id,
        call_id: callId ?? "",
        choice: null,
        status: "expired",
        feedback: null,
        by: "runner",
      },
    },
    statusDraft(next ? waiting : "running"),
  ];
}

async function changeWithin(log: RunLog, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([log.nextChange(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
