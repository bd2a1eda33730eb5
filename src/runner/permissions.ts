// Whether a call may go ahead, is asked about, or is forbidden: decided on what it reaches for and on
// people's rules, never on a tool's own word. Pure. Deny wins over ask, ask over allow; what cannot
// be understood is asked about; a rule that forbids may match too much, one that allows never does.
import { Rule } from "../protocol/catalogue/permissions.ts";
import {
  basename,
  parseCommandLine,
  possibleWords,
  type Command,
  type CommandLine,
} from "./command-line.ts";
import { isWrapper } from "./command-line-wrappers.ts";
import { hostMatches, hostOf } from "./permission-places.ts";
import { locate, pathCovered, pathRestricted } from "./tool-host/path-patterns.ts";
import type { Access, Tool } from "./tools/tool.ts";

/** `always`: the narrowest rule that would have allowed it; null when there is none to offer. */
export type Verdict = {
  readonly effect: "allow" | "ask" | "deny";
  readonly reason: string;
  readonly always: Rule | null;
};

export type Question = {
  readonly tool: Pick<Tool, "name" | "risk">;
  readonly accesses: readonly Access[];
  readonly workspace: string;
  readonly rules: readonly Rule[];
  readonly grantedSession: boolean; // a person allowed this very plan for the rest of the session
  readonly yolo: boolean;
};

/** A command with what is known of it, worked out once for any number of rules. */
type Execution = {
  readonly kind: "execute";
  readonly network: boolean;
  readonly line: CommandLine;
  readonly wrapper: Command | undefined;
  readonly words: ReadonlySet<string>; // that may name a command in it
};
type Nothing = { readonly kind: "nothing" }; // of what we know
type Reached = Exclude<Access, { kind: "execute" }> | Execution | Nothing;
type Context = Pick<Question, "tool" | "workspace" | "rules">;

/** What is written there runs at the person's own next git command, outside of any sandbox. */
export const GIT = "**/.git";

const STRICTER: Record<Verdict["effect"], number> = { allow: 0, ask: 1, deny: 2 };

export function decide(question: Question): Verdict {
  const { accesses, grantedSession, yolo } = question;
  const reached: Reached[] = accesses.length > 0 ? accesses.map(look) : [{ kind: "nothing" }];
  const verdicts = reached.map((access) => judgeAccess(access, question));
  const strictest = verdicts.reduce((a, b) => (STRICTER[b.effect] > STRICTER[a.effect] ? b : a));
  if (strictest.effect !== "ask") return strictest;
  if (grantedSession) return allowed("A person allowed exactly this for the session.");
  if (yolo) return allowed("The session asks nobody (yolo).");
  // One rule answers one question: with two of them there is none that would have allowed the call.
  const asking = verdicts.filter(({ effect }) => effect === "ask");
  return asking.length === 1 ? strictest : { ...strictest, always: null };
}

/** What a tool that looks through folders must leave out of them: rules may forbid a part of a folder. */
export function forbiddenPatterns(rules: readonly Rule[], tool: string): string[] {
  return rules.flatMap(({ effect, path, ...rule }) =>
    effect !== "allow" && path !== undefined && (rule.tool === "*" || rule.tool === tool)
      ? [path]
      : [],
  );
}

function look(access: Access): Reached {
  if (access.kind !== "execute") return access;
  const { kind, command, network } = access;
  const line = parseCommandLine(command);
  const wrapper = line.kind === "argv" ? line.commands.find(isWrapper) : undefined;
  return { kind, network, line, wrapper, words: possibleWords(command) };
}

function judgeAccess(access: Reached, context: Context): Verdict {
  const mine = context.rules.filter(({ tool }) => tool === "*" || tool === context.tool.name);
  for (const effect of ["deny", "ask"] as const) {
    const rule = mine.find((it) => it.effect === effect && restricts(it, access, context));
    if (rule) return { effect, reason: `${BECAUSE[effect]}: ${inWords(rule)}.`, always: null };
  }
  const allows = mine.filter(({ effect }) => effect === "allow");
  if (covered(allows, access, context)) return allowed("A rule allows it.");
  const reason = asksBecause(access, context);
  if (reason === undefined) return allowed("");
  return { effect: "ask", reason, always: narrowest(access, context) };
}

const BECAUSE = { deny: "A rule forbids it", ask: "A rule wants it asked" };

function allowed(reason: string): Verdict {
  return { effect: "allow", reason, always: null };
}

type Selector = "argv" | "path" | "host" | "schema";
/** What a rule can say about each kind of access, beside the tool's name. */
const SELECTOR: Record<Reached["kind"], Selector | null> = {
  read: "path",
  write: "path",
  execute: "argv",
  network: "host",
  foreign: "schema",
  nothing: null,
};
const SELECTORS = ["argv", "path", "host", "schema"] as const;

/** Whether a rule that denies or asks is about this access. In doubt it is. */
function restricts(rule: Rule, access: Reached, { workspace }: Context): boolean {
  if (rule.network === true && access.kind === "execute" && !access.network) return false;
  const selector = SELECTOR[access.kind];
  const others = SELECTORS.some((it) => it !== selector && rule[it] !== undefined);
  if (selector === null || rule[selector] === undefined) return !others;
  switch (access.kind) {
    case "read":
    case "write":
      return pathRestricted({ pattern: rule.path ?? "", workspace }, access.path);
    case "execute":
      return mayRun(access, rule.argv ?? []);
    case "network": {
      const host = hostOf(access.url);
      return host === undefined || hostMatches(rule.host ?? "", host);
    }
    case "foreign":
      return rule.schema === access.schema;
    case "nothing":
      return true;
  }
}

function mayRun({ line, wrapper, words }: Execution, argv: readonly string[]): boolean {
  const hidden = line.kind === "opaque" || wrapper !== undefined;
  if (hidden && words.has(basename(argv[0] ?? ""))) return true;
  if (line.kind === "opaque") return false;
  return line.commands.some(
    (command) =>
      beginsLike(command, argv) ||
      beginsLike([basename(command[0] ?? ""), ...command.slice(1)], argv),
  );
}

/** As beginsWith, past options and what may be their values: `git --no-pager push` is a push. */
function beginsLike(command: Command, argv: readonly string[]): boolean {
  let places = new Set([0]); // after what is matched so far
  for (const wanted of argv) {
    const next = new Set<number>();
    for (let at = 0; at < command.length; at += 1) {
      if (!places.has(at)) continue;
      if (command[at] === wanted) next.add(at + 1);
      if (at > 0 && command[at]?.startsWith("-")) places.add(at + 1).add(at + 2);
    }
    places = next;
  }
  return places.size > 0;
}

/** Whether rules that allow cover all of this access. */
function covered(rules: readonly Rule[], access: Reached, { workspace }: Context): boolean {
  const selector = SELECTOR[access.kind];
  const about = rules.filter(
    (rule) => !SELECTORS.some((it) => it !== selector && rule[it] !== undefined),
  );
  switch (access.kind) {
    case "read":
    case "write":
      return about.some(
        ({ path }) => path === undefined || pathCovered({ pattern: path, workspace }, access.path),
      );
    case "execute": {
      const able = about.filter(({ network }) => !access.network || network === true);
      if (able.some(({ argv }) => argv === undefined)) return true;
      const { line, wrapper } = access;
      if (line.kind === "opaque" || wrapper !== undefined) return false;
      return line.commands.every((command) =>
        able.some(({ argv }) => argv !== undefined && beginsWith(command, argv)),
      );
    }
    case "network": {
      const host = hostOf(access.url);
      return about.some(
        (rule) => rule.host === undefined || (host !== undefined && hostMatches(rule.host, host)),
      );
    }
    case "foreign":
      return about.some(({ schema }) => schema === access.schema); // as it was then, or not at all
    case "nothing":
      return about.length > 0;
  }
}

function beginsWith(command: Command, argv: readonly string[]): boolean {
  return argv.length <= command.length && argv.every((word, index) => word === command[index]);
}

/** Why nobody is expected to have meant this to go ahead by itself; undefined: it may. */
function asksBecause(access: Reached, { tool, workspace }: Context): string | undefined {
  switch (access.kind) {
    case "read":
    case "write": {
      const { inside, absolute } = locate(access.path, workspace);
      const does = access.kind === "read" ? "Reads" : "Writes";
      if (!inside) return `${does} outside the workspace: ${absolute}`;
      const git = pathRestricted({ pattern: GIT, workspace }, access.path);
      return git && access.kind === "write" ? "Writes into git's own files." : undefined;
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

function runsBecause({ line, wrapper, network }: Execution): string {
  const how = network ? "Runs a command with access to the network" : "Runs a command";
  if (line.kind === "opaque") return `${how} that only a shell can tell the parts of: ${line.why}.`;
  if (wrapper === undefined) return `${how} that nothing allows yet.`;
  return `${how} that runs what it is given: “${wrapper[0]}”.`;
}

function narrowest(access: Reached, { tool, workspace }: Context): Rule | null {
  const offer = (rule: Omit<Rule, "effect" | "tool">): Rule | null =>
    Rule.safeParse({ effect: "allow", tool: tool.name, ...rule }).data ?? null;
  switch (access.kind) {
    case "read":
    case "write": {
      const path = locate(access.path, workspace).absolute;
      return /[*?]/.test(path) ? null : offer({ path }); // as a rule it would be a pattern
    }
    case "execute": {
      const { line, wrapper } = access;
      const [only, ...more] = line.kind === "argv" ? line.commands : [];
      if (!only || more.length > 0 || wrapper !== undefined) return null;
      return offer({ argv: [...only], ...(access.network && { network: true }) });
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

function inWords(rule: Rule): string {
  const about = rule.argv?.join(" ") ?? rule.path ?? rule.host;
  return about === undefined ? rule.tool : `${rule.tool} ${about}`;
}
