// Removes a room from a file: imports of deleted files, and every line of a list that uses them or names the room
// ("features/voice"). In test files also the tests that use them, and the helpers of these tests. Any other use cannot
// be removed, and is reported.
import { parseSync } from "vite";

type Node = { readonly type: string; readonly start: number; readonly end: number };
type Path = readonly Node[]; // a node and its parents, the outermost first
export type Removed = { readonly text: string; readonly left: readonly string[] };

/** Elements of lists: an element of `parent[key]` can be removed without changing the others. */
const ELEMENTS: Readonly<Record<string, string>> = {
  ArrayExpression: "elements",
  ObjectExpression: "properties",
  ImportDeclaration: "specifiers",
  ExportNamedDeclaration: "specifiers",
};
const JSX = new Set(["JSXElement", "JSXFragment"]);
const MODULES = new Set(["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration"]);
const BODIES = new Set(["BlockStatement", "Program"]);

export type Gone = {
  readonly room: string;
  readonly isGone: (specifier: string) => boolean;
};

export function removeRoom(name: string, text: string, { room, isGone }: Gone): Removed | null {
  const program = parsed(name, text);
  const paths = [...walk(program)];
  const gone = paths.filter((path) => {
    const source = sourceOf(path.at(-1) as Node);
    return source !== undefined && isGone(source);
  });
  const marks = paths.filter((path) =>
    valueOf(path.at(-1) as Node)
      .split(" ")
      .includes(room),
  );
  if (gone.length + marks.length === 0) return null;
  const names = new Set(gone.flatMap((path) => importedNames(path.at(-1) as Node)));
  const isTest = /\.(test|contract)\.tsx?$/.test(name) || !name.startsWith("src/");
  const left: string[] = [];
  const cuts = new Set<Node>();
  let found = [...gone, ...marks];
  for (const done = new Set<Path>(); found.length > 0;) {
    for (const path of found) {
      done.add(path);
      const cut = MODULES.has(path.at(-1)?.type ?? "") ? path.at(-1) : lineOf(path, isTest);
      if (!cut) left.push(at(name, text, path.at(-1) as Node));
      else cuts.add(cut);
      for (const gone of cut ? declaredNames(cut) : []) names.add(gone);
    }
    found = paths.filter(
      (path) => !done.has(path) && isUse(path) && names.has(nameOf(path.at(-1) as Node)),
    );
  }
  if (left.length > 0) return { text, left };
  const rest = cutOut(text, withEmptied(paths, [...cuts]));
  return { text: withoutUnused(name, rest, usedNames(paths)), left };
}

/** Whether a file of tests has none any more: what is left are imports and helpers. */
export function isWithoutTests(name: string, text: string): boolean {
  const declares = /^(Import|Export\w*|Function|Variable|TSTypeAlias|TSInterface)Declaration$/;
  return children(parsed(name, text), "body").every(({ type }) => declares.test(type));
}

/** The line of a list that contains a use. A function's result (`() => import(…)`) is part of the line around it. */
function lineOf(path: Path, isTest: boolean): Node | undefined {
  let line: Node | undefined;
  for (let index = path.length - 1; index > 0; index--) {
    const [node, parent] = [path[index] as Node, path[index - 1] as Node];
    if (JSX.has(parent.type) && children(parent, "children").includes(node)) return line ?? node;
    if (node.type === "ArrowFunctionExpression") line = undefined;
    if (children(parent, ELEMENTS[parent.type] ?? "").includes(node) && !isMark(node))
      line ??= node;
    if (BODIES.has(parent.type)) {
      if (line) return line;
      if (!isTest) return undefined;
      if (node.type === "ExpressionStatement") return node;
      if (parent.type === "Program" && declaredNames(node).length > 0) return node;
    }
  }
  return line;
}

/** `room: "features/voice"` marks the whole object for the room. */
function isMark(node: Node): boolean {
  return node.type === "Property" && nameOf(child(node, "key")) === "room";
}

/** Removes an object that has become empty. */
function withEmptied(paths: readonly Path[], cuts: readonly Node[]): Node[] {
  const emptied = paths.flatMap((path) => {
    const properties = children(path.at(-1) as Node, "properties");
    const isEmptied = properties.length > 0 && properties.every((each) => cuts.includes(each));
    return isEmptied ? (lineOf(path, false) ?? []) : [];
  });
  return [...cuts, ...emptied];
}

/** Imports and helpers that only the removed lines used. */
function withoutUnused(name: string, text: string, before: ReadonlySet<string>): string {
  const program = parsed(name, text);
  const now = usedNames([...walk(program)]);
  const isUnused = (local: string) => before.has(local) && !now.has(local);
  const cuts = children(program, "body").flatMap((statement): Node[] => {
    if (statement.type === "ImportDeclaration") {
      const specifiers = children(statement, "specifiers");
      const unused = specifiers.filter((specifier) => isUnused(nameOf(child(specifier, "local"))));
      return unused.length === specifiers.length && unused.length > 0 ? [statement] : unused;
    }
    return declaredNames(statement).some(isUnused) ? [statement] : [];
  });
  return cuts.length === 0 ? text : withoutUnused(name, cutOut(text, cuts), before);
}

function cutOut(text: string, cuts: readonly Node[]): string {
  const outer = [...new Set(cuts)].filter(
    (cut) => !cuts.some((it) => it !== cut && it.start <= cut.start && cut.end <= it.end),
  );
  let rest = text;
  for (const { type, start, end } of outer.toSorted((a, b) => b.start - a.start)) {
    // The comment above the imports is the file's header.
    const from = MODULES.has(type) ? start : withComments(rest, start);
    const isLine = from === 0 || rest[from - 1] === "\n";
    const after = (isLine ? /^(?:\s*,)?\n?/ : /^(?:\s*,)?/).exec(rest.slice(end));
    rest = rest.slice(0, from) + rest.slice(end + (after?.[0].length ?? 0));
  }
  return rest;
}

/** The start of the comment lines above. */
function withComments(text: string, start: number): number {
  let from = text.lastIndexOf("\n", start - 1) + 1;
  if (text.slice(from, start).trim() !== "") return start;
  for (;;) {
    const above = text.lastIndexOf("\n", from - 2) + 1;
    if (from === 0 || !/^\s*(?:\/\/|\/\*\*.*\*\/\s*$)/.test(text.slice(above, from))) return from;
    from = above;
  }
}

function parsed(name: string, text: string): Node {
  const { program, errors } = parseSync(name, text);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`);
  return program;
}

function* walk(node: Node, above: Path = []): Generator<Path> {
  const path = [...above, node];
  yield path;
  for (const value of Object.values(node)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (isNode(each)) yield* walk(each, path);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function children(node: Node, key: string): Node[] {
  const value = (node as unknown as Record<string, unknown>)[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function child(node: Node, key: string): Node | undefined {
  const value = (node as unknown as Record<string, unknown>)[key];
  return isNode(value) ? value : undefined;
}

function nameOf(node: Node | undefined): string {
  return (node as { name?: string } | undefined)?.name ?? "";
}

/** The value of a string literal; empty for anything else. */
function valueOf(node: Node): string {
  const { value } = node as { value?: unknown };
  return node.type === "Literal" && typeof value === "string" ? value : "";
}

/** The module that an import (static or dynamic) or an export names. */
function sourceOf(node: Node): string | undefined {
  if (!MODULES.has(node.type) && node.type !== "ImportExpression") return undefined;
  return (child(node, "source") as { value?: string } | undefined)?.value;
}

function importedNames(node: Node): string[] {
  if (node.type !== "ImportDeclaration") return [];
  return children(node, "specifiers").map((specifier) => nameOf(child(specifier, "local")));
}

function declaredNames(statement: Node): string[] {
  if (statement.type === "VariableDeclaration") {
    const names = children(statement, "declarations").map((each) => nameOf(child(each, "id")));
    return names.filter((name) => name !== ""); // of a pattern
  }
  return /^(Function|TSTypeAlias)Declaration$/.test(statement.type)
    ? [nameOf(child(statement, "id"))]
    : [];
}

/** Neither a declaration nor the name of a member. */
function isUse(path: Path): boolean {
  const [parent, node] = path.slice(-2) as [Node, Node];
  if (node?.type !== "Identifier" && node?.type !== "JSXIdentifier") return false;
  if (/^Import.*Specifier$/.test(parent.type)) return false;
  if (/Declarat(?:ion|or)$/.test(parent.type)) return child(parent, "id") !== node;
  const isComputed = (parent as { computed?: boolean }).computed === true;
  if (parent.type === "MemberExpression") return isComputed || child(parent, "property") !== node;
  if (parent.type === "Property") return isComputed || child(parent, "key") !== node;
  return true;
}

function usedNames(paths: readonly Path[]): Set<string> {
  return new Set(paths.filter(isUse).map((path) => nameOf(path.at(-1))));
}

function at(name: string, text: string, { start, end }: Node): string {
  return `${name}:${text.slice(0, start).split("\n").length}: ${text.slice(start, end)}`;
}
