// Grammars of common languages; returns a flat list of tokens.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scss from "highlight.js/lib/languages/scss";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { CodeToken } from "./highlight.ts";
import { own } from "../../kernel/events/own.ts";

const GRAMMARS = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  graphql,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  php,
  python,
  ruby,
  rust,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};

// Maps the many scope names of grammars to a few colours.
const KIND: Readonly<Record<string, string>> = {
  keyword: "keyword",
  literal: "number",
  number: "number",
  "char.escape": "number",
  symbol: "number",
  string: "string",
  regexp: "string",
  code: "string",
  link: "string",
  comment: "comment",
  quote: "comment",
  doctag: "comment",
  title: "title",
  "title.function": "title",
  "title.class": "type",
  section: "title",
  type: "type",
  built_in: "type",
  class: "type",
  tag: "name",
  name: "name",
  attr: "name",
  attribute: "name",
  property: "name",
  variable: "variable",
  "template-variable": "variable",
  "selector-tag": "name",
  "selector-class": "name",
  "selector-id": "name",
  "selector-attr": "name",
  "selector-pseudo": "name",
  meta: "meta",
  "meta.prompt": "meta",
  addition: "added",
  deletion: "removed",
  bullet: "keyword",
  strong: "title",
};

/** Collects tokens instead of the HTML that the library would build. */
class Collector {
  readonly tokens: CodeToken[] = [];
  readonly #scopes: string[] = [];

  startScope(scope: string): void {
    this.#scopes.push(scope);
  }
  endScope(): void {
    this.#scopes.pop();
  }
  // The library also calls them by these names.
  openNode(scope: string): void {
    this.startScope(scope);
  }
  closeNode(): void {
    this.endScope();
  }
  addText(text: string): void {
    if (text === "") return;
    const kind = this.#kind();
    const before = this.tokens.at(-1);
    if (before?.kind === kind)
      this.tokens[this.tokens.length - 1] = { text: before.text + text, kind };
    else this.tokens.push({ text, kind });
  }
  __addSublanguage(inner: unknown): void {
    if (inner instanceof Collector) this.tokens.push(...inner.tokens);
  }
  finalize(): void {
    this.#scopes.length = 0;
  }
  toHTML(): string {
    return ""; // there is no HTML
  }
  #kind(): string | null {
    for (const scope of this.#scopes.toReversed()) {
      const kind = own(KIND, scope) ?? own(KIND, scope.split(".")[0] ?? "");
      if (kind !== undefined) return kind;
    }
    return null;
  }
}

const library = hljs.newInstance();
library.configure({ __emitter: Collector });
for (const [name, grammar] of Object.entries(GRAMMARS)) library.registerLanguage(name, grammar);
library.registerAliases(["docker"], { languageName: "dockerfile" });
library.registerAliases(["svg"], { languageName: "xml" });

export function isKnown(lang: string): boolean {
  return library.getLanguage(lang) !== undefined;
}

export function tokensOf(text: string, language: string): readonly CodeToken[] {
  const { _emitter } = library.highlight(text, { language, ignoreIllegals: true });
  const tokens = _emitter instanceof Collector ? _emitter.tokens : [];
  // Falls back to plain text if a grammar drops characters.
  const whole = tokens.map((token) => token.text).join("") === text;
  return whole ? tokens : [{ text, kind: null }];
}
