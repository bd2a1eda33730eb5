// Whether a call may go ahead, is asked about, or is forbidden: THE place where that is decided, on
// what the call reaches for and on people's rules, never on a tool's own word. Pure, but for a look at
// the names in a folder (protected-files.ts) and at where links lead (leads-to.ts). Deny wins over ask,
// ask over allow; what cannot be understood is asked about; a rule that forbids may match too much, one
// that allows never does.
// What a command is, is told by inspect-command.ts.
import { Rule, serverOfPattern, type WiderRule } from "../../events/catalogue/permissions.ts";
import {
  coversCommand,
  doubtAbout,
  exactRule,
  patternFor,
  restrictsCommand,
} from "./command/rules.ts";
import { inspectCommand, type Inspection } from "./inspect-command.ts";
import { hostMatches, hostOf } from "./permission-places.ts";
import { protectedReason } from "./protected-files.ts";
import { locate, pathCovered, pathRestricted } from "../../workspace/listing/path-patterns.ts";
import type { Access, Execute, Foreign, Tool } from "../tools/tool.ts";

export type Verdict = {
  readonly effect: "allow" | "ask" | "deny";
  readonly reason: string;
  /** The narrowest rule that would have allowed it; null when there is none to offer. */
  readonly always: Rule | null;
  /** Wider ones a person may choose instead. */
  readonly wider: readonly WiderRule[];
  /** Whether a yes can cover the same call later. Not if nobody can tell what it would run then. */
  readonly repeatable: boolean;
};

export type Question = {
  readonly tool: Pick<Tool, "name" | "risk">;
  readonly accesses: readonly Access[];
  readonly workspace: string;
  readonly rules: readonly Rule[];
  readonly grantedSession: boolean; // a person allowed this very plan for the rest of the session
  readonly yolo: boolean;
  /** Commands cannot see paths that rules deny: the sandbox hides them. */
  readonly hidden: boolean;
};

/** A command with what is known of it, worked out once for any number of rules. */
export type Execution = Execute & Inspection;
type Nothing = { readonly kind: "nothing" }; // of what we know
type Reached = Exclude<Access, { kind: "execute" }> | Execution | Nothing;
export type Context = Pick<Question, "tool" | "workspace" | "rules" | "hidden">;
/** firm: not even a session that asks nobody goes past it. */
type Judged = Verdict & { readonly firm?: true };

const STRICTER: Record<Verdict["effect"], number> = { allow: 0, ask: 1, deny: 2 };

export function decide(question: Question): Verdict {
  const { accesses, grantedSession, yolo } = question;
  const look = (access: Access): Reached => lookAt(access, question.workspace);
  const reached: Reached[] = accesses.length > 0 ? accesses.map(look) : [{ kind: "nothing" }];
  const verdicts = reached.map((access) => judgeAccess(access, question));
  const strictest = verdicts.reduce((a, b) => (STRICTER[b.effect] > STRICTER[a.effect] ? b : a));
  if (strictest.effect !== "ask") return strictest;
  const repeatable = verdicts.every((verdict) => verdict.repeatable);
  if (grantedSession && repeatable)
    return allowed("A person allowed exactly this for the session.");
  const asking = verdicts.filter(({ effect }) => effect === "ask");
  const firm = asking.find((verdict) => verdict.firm);
  if (yolo && !firm) return allowed("The session asks nobody (yolo).");
  const { effect, reason, always, wider } = firm ?? strictest;
  // One rule answers one question: with two of them there is none that would have allowed the call.
  const one = asking.length === 1;
  return { effect, reason, repeatable, always: one ? always : null, wider: one ? wider : [] };
}

/** What a tool that looks through folders must leave out of them: rules may forbid a part of a folder. */
export function forbiddenPatterns(rules: readonly Rule[], tool: string): string[] {
  return rules.flatMap(({ effect, path, ...rule }) =>
    effect !== "allow" && path !== undefined && (rule.tool === "*" || rule.tool === tool)
      ? [path]
      : [],
  );
}

function lookAt(access: Access, workspace: string): Reached {
  if (access.kind !== "execute") return access;
  return { ...access, ...inspectCommand(access, workspace) };
}

function judgeAccess(access: Reached, context: Context): Judged {
  const mine = context.rules.filter(({ tool }) => namesTool(tool, context.tool.name));
  for (const effect of ["deny", "ask"] as const) {
    const rule = mine.find((it) => it.effect === effect && restricts(it, access, context));
    if (rule) return { ...asked(`${BECAUSE[effect]}: ${describe(rule)}.`), effect };
  }
  const allows = mine.filter(({ effect }) => effect === "allow");
  const exact = allows.filter(({ command }) => command !== undefined);
  if (covered(exact, access, context)) return allowed("A rule allows exactly this.");
  const offer = { always: narrowest(access, context), ...widerFor(access, context) };
  const doubt = access.kind === "execute" ? doubtAbout(access, mine, context) : undefined;
  if (doubt !== undefined) return { ...asked(doubt), ...offer, firm: true };
  const by = covered(allows, access, context);
  if (by) return allowed(`A rule allows it: ${describe(by)}.`);
  const reason = asksBecause(access, context);
  if (reason === undefined) return allowed("Nothing outside the workspace is reached.");
  return { ...asked(reason), ...offer };
}

/** Only foreign tools are named by a pattern; built-in ones are not called mcp__. */
function namesTool(pattern: string, name: string): boolean {
  if (pattern === "*" || pattern === name) return true;
  return serverOfPattern(pattern) !== undefined && name.startsWith(pattern.slice(0, -1));
}

const BECAUSE = { deny: "A rule forbids it", ask: "A rule wants it asked" };

function allowed(reason: string): Judged {
  return { effect: "allow", reason, always: null, wider: [], repeatable: true };
}

function asked(reason: string): Judged {
  return { effect: "ask", reason, always: null, wider: [], repeatable: true };
}

type Selector = (typeof SELECTORS)[number];
/** What a rule can say about each kind of access, beside the tool's name. */
const SELECTORS_OF: Record<Reached["kind"], readonly Selector[]> = {
  read: ["path"],
  write: ["path"],
  execute: ["command", "argv"],
  network: ["host"],
  foreign: ["schema", "trust"],
  nothing: [],
};
const SELECTORS = ["command", "argv", "path", "host", "schema", "trust"] as const;

/** Whether a rule that denies or asks is about this access. In doubt it is. */
function restricts(rule: Rule, access: Reached, context: Context): boolean {
  const { workspace } = context;
  if (access.kind === "execute") return restrictsCommand(rule, access, context);
  const selectors = SELECTORS_OF[access.kind];
  const said = SELECTORS.filter((it) => rule[it] !== undefined);
  if (said.length === 0) return true;
  if (!said.every((it) => selectors.includes(it))) return false;
  switch (access.kind) {
    case "read":
    case "write":
      return pathRestricted({ pattern: rule.path ?? "", workspace }, access.path);
    case "network": {
      const host = hostOf(access.url);
      return host === undefined || hostMatches(rule.host ?? "", host);
    }
    case "foreign":
      return rule.trust !== undefined || rule.schema === access.schema;
    case "nothing":
      return true;
  }
}

/** The rule (or one of the rules) that together cover all of this access. */
function covered(rules: readonly Rule[], access: Reached, context: Context): Rule | undefined {
  const { workspace } = context;
  const selectors = SELECTORS_OF[access.kind];
  const about = rules.filter((rule) =>
    SELECTORS.every((it) => rule[it] === undefined || selectors.includes(it)),
  );
  switch (access.kind) {
    case "read":
    case "write":
      return about.find(
        ({ path }) => path === undefined || pathCovered({ pattern: path, workspace }, access.path),
      );
    case "execute":
      return coversCommand(about, access, context);
    case "network": {
      const host = hostOf(access.url);
      return about.find(
        (rule) => rule.host === undefined || (host !== undefined && hostMatches(rule.host, host)),
      );
    }
    case "foreign":
      return about.find((rule) => coversForeign(rule, access));
    case "nothing":
      return about[0];
  }
}

/** The tool as it was described then, or the very program that a person trusts as a whole. */
function coversForeign({ schema, trust, server }: Rule, access: Foreign): boolean {
  if (trust === undefined) return schema === access.schema;
  return server !== undefined && server === access.server?.program;
}

/** Why nobody is expected to have meant this to go ahead by itself; undefined: it may. */
function asksBecause(access: Reached, { tool, workspace }: Context): string | undefined {
  switch (access.kind) {
    case "read":
    case "write": {
      const { inside, absolute } = locate(access.path, workspace);
      const does = access.kind === "read" ? "Reads" : "Writes";
      if (!inside) return `${does} outside the workspace: ${absolute}`;
      return access.kind === "write" ? protectedReason(access.path, workspace) : undefined;
    }
    case "execute":
      return runsBecause(access);
    case "network":
      return `Reaches for the network: ${hostOf(access.url) ?? "no valid address"}`;
    case "foreign":
      return "A tool of another program, which nothing allows yet.";
    case "nothing":
      return tool.risk === "execute" || tool.risk === "network"
        ? "The tool does not say what it reaches for."
        : undefined;
  }
}

function runsBecause({ unknown, network, protected: changes = false }: Execution): string {
  const rights = [
    ...(network ? ["access to the network"] : []),
    ...(changes ? ["the right to change protected files"] : []),
  ].join(" and ");
  const how = rights === "" ? "Runs a command" : `Runs a command with ${rights}`;
  if (unknown === undefined) return `${how} that no rule allows yet.`;
  return `${how}, and what it runs cannot be told: ${unknown}. It can be allowed only once.`;
}

function narrowest(access: Reached, context: Context): Rule | null {
  const { tool, workspace } = context;
  const offer = (rule: Omit<Rule, "effect" | "tool">): Rule | null =>
    Rule.safeParse({ effect: "allow", tool: tool.name, ...rule }).data ?? null;
  switch (access.kind) {
    case "read":
    case "write": {
      const path = locate(access.path, workspace).absolute;
      return /[*?]/.test(path) ? null : offer({ path }); // as a rule it would be a pattern
    }
    case "execute": {
      const rule = exactRule(access, context);
      return rule ? offer(rule) : null;
    }
    case "network": {
      const host = hostOf(access.url);
      return host === undefined ? null : offer({ host });
    }
    case "foreign":
      return offer({ schema: access.schema });
    case "nothing":
      return null;
  }
}

function widerFor(access: Reached, context: Context): Pick<Verdict, "wider" | "repeatable"> {
  if (access.kind === "foreign") return { wider: wholeServer(access, context), repeatable: true };
  if (access.kind !== "execute") return { wider: [], repeatable: true };
  const repeatable = exactRule(access, context) !== undefined;
  const pattern = repeatable ? patternFor(access, context) : undefined;
  return { wider: pattern ? [pattern] : [], repeatable };
}

function wholeServer({ server }: Foreign, { tool }: Context): WiderRule[] {
  if (!server) return [];
  const { name, program } = server;
  const fields = { effect: "allow", tool: `mcp__${name}__*`, trust: "server", server: program };
  const rule = Rule.safeParse(fields).data;
  if (!rule || !namesTool(rule.tool, tool.name)) return []; // a name that was too long is cut
  const also = `Every tool of “${name}”, also new ones and ones that it describes otherwise later, while it is started like this.`;
  return [{ rule, also }];
}

function describe(rule: Rule): string {
  if (rule.trust !== undefined) return `it trusts the whole server ${rule.tool} (${rule.server})`;
  const about = rule.command ?? rule.argv?.join(" ") ?? rule.path ?? rule.host;
  return about === undefined ? rule.tool : `${rule.tool} ${about}`;
}
