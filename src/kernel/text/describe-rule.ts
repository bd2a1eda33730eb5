// Describes what a rule allows, with the rule's values as separate parts, so that a page can highlight them and nobody
// mistakes a value for our text.
import type { Rule } from "../events/catalogue/permissions.ts";
import { visibleText } from "./visible-text.ts";

export type RulePart = string | { readonly value: string };

export function describeRule(rule: Rule): readonly RulePart[] {
  const { network, schema, cwd, protected: changes } = rule;
  return [
    ...subject(rule),
    ...(cwd === undefined ? [] : [" in ", { value: cwd }]),
    ...(network === true ? [", with the network"] : []),
    ...(changes === true ? [", with the right to change protected files"] : []),
    ...(schema === undefined ? [] : [", as long as it is described as it is now"]),
    ...contents(rule),
  ];
}

/** For terminals and messengers. */
export function ruleText(rule: Rule): string {
  return describeRule(rule)
    .map((word) => (typeof word === "string" ? word : `“${visibleText(word.value)}”`))
    .join("");
}

function subject({ tool, command, argv, path, host, trust, server }: Rule): RulePart[] {
  if (trust !== undefined) {
    const which = server === undefined ? [] : [" while it is started as ", { value: server }];
    return ["every tool of the server behind ", { value: tool }, ...which];
  }
  if (command !== undefined) return ["exactly ", { value: command }];
  if (argv) return ["commands that begin with ", { value: argv.map(quoted).join(" ") }];
  const name = tool === "*" ? "every tool" : { value: tool };
  if (path !== undefined) return [name, " on ", { value: path }];
  if (host !== undefined) return [name, " to ", { value: host }];
  return [name, ", whatever it is given"];
}

/** Says that the files which such a file loads are not compared. */
function contents({ files = {} }: Rule): RulePart[] {
  const bound = Object.entries(files).filter(([, content]) => content !== "absent");
  if (bound.length === 0) return [];
  const names = bound.flatMap(([file], index) => [index === 0 ? "" : ", ", { value: file }]);
  return [" while ", ...names, " stays as it is (files it loads are not checked)"];
}

/** Quotes one word of a command, so that its end is unmistakable. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
