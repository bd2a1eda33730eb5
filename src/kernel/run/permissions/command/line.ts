// What can be known of a shell command without a shell: the words of each simple command in it.
// Anything a shell would still have to work out (variables, substitutions, control words) makes the
// whole line opaque. Where it is not opaque, it never disagrees with /bin/sh: rules rely on that.

export type Command = readonly string[]; // its words; there is always a first
export type Operator = "&&" | "||" | ";" | "|" | "\n" | "";
export type CommandLine =
  | {
      readonly kind: "argv";
      readonly commands: readonly Command[];
      readonly operators: readonly Operator[]; // after each command
      /** Nothing but words: no file pattern, redirection or variable. Only such lines match patterns. */
      readonly literal: boolean;
      readonly redirects: readonly string[]; // files that are read or written by redirections
    }
  | { readonly kind: "opaque"; readonly why: string };

class Opaque extends Error {}

export function parseCommandLine(line: string): CommandLine {
  try {
    refuseUnreadable(line);
    return commandsOf(line);
  } catch (error) {
    if (!(error instanceof Opaque)) throw error;
    return { kind: "opaque", why: error.message };
  }
}

/** Every word that may be the name of a command in it, whatever is quoted, nested or hidden. */
export function possibleWords(line: string): ReadonlySet<string> {
  const joined = line.replaceAll(/\\\n|["'\\]/g, ""); // r"m", r\m
  const apart = line.replaceAll(/["'\\]/g, " "); // sh -c"rm x"
  const words = `${joined} ${apart}`.split(/[\s;|&()<>{}$`=,!:#]+/);
  return new Set(words.flatMap((word) => [word, basename(word), basename(word).toLowerCase()]));
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

// Control characters but tab and newline, and whatever a person does not see or sees elsewhere.
const UNREADABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

function refuseUnreadable(line: string): void {
  if (UNREADABLE.test(line.replaceAll(/[\t\n]/g, ""))) {
    throw new Opaque("it has control characters or characters that cannot be seen");
  }
  // `sh -c` takes these for its own options.
  if (/^[-+]/.test(line)) throw new Opaque("it begins like an option");
}

type Word = {
  text: string;
  quoted: boolean; // any of it: then it is no control word
  glob: boolean; // a pattern of file names
  assigns: string | null; // what stands before a bare "="; "" if any of that was quoted
};
type Reader = { readonly line: string; at: number; literal: boolean; redirects: string[] };

const OPERATOR = /&&|\|\||[;|\n]/y;
const SPACE = /(?:[ \t]|\\\n)*/y;
/** Redirections that neither read nor write anything of anyone's. */
const HARMLESS = /(?:[12]?>>?[ \t]*\/dev\/null|<[ \t]*\/dev\/null|2>&1|1?>&2)(?=[ \t\n;|&]|$)/y;
const REDIRECT = /[012]?(?:>>?|<)(?![<>&|(])[ \t]*/y;
/** Variables that change how a program talks, not which code it runs. */
const HARMLESS_VARIABLES = new Set(
  (
    "CI NODE_ENV DEBUG NO_COLOR FORCE_COLOR TZ LANG LC_ALL RUST_BACKTRACE RUST_LOG GOOS GOARCH " +
    "CGO_ENABLED PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PORT HOST VERBOSE COLUMNS TERM"
  ).split(" "),
);

function commandsOf(line: string): CommandLine {
  const reader: Reader = { line, at: 0, literal: true, redirects: [] };
  const commands: Command[] = [];
  const operators: Operator[] = [];
  let complete = false;
  skipLines(reader);
  while (reader.at < line.length) {
    const words = simpleCommand(reader);
    if (words.length === 0) throw new Opaque("it is not complete");
    commands.push(words);
    const operator = take(reader, OPERATOR) as Operator | undefined;
    operators.push(operator ?? "");
    if (operator === undefined && reader.at < line.length) throw new Opaque(bare(reader));
    complete = operator === undefined || operator === ";" || operator === "\n";
    if (operator !== undefined) skipLines(reader);
  }
  if (!complete) throw new Opaque("it is not complete");
  const { literal, redirects } = reader;
  return { kind: "argv", commands, operators, literal, redirects };
}

function skipLines(reader: Reader): void {
  do take(reader, SPACE);
  while (take(reader, /\n+/y) !== undefined);
}

function simpleCommand(reader: Reader): string[] {
  const words: string[] = [];
  for (;;) {
    const from = reader.at;
    take(reader, SPACE);
    const apart = reader.at > from; // `a2>&1` is not `a 2>&1`
    if (words.length > 0 && apart && take(reader, HARMLESS) !== undefined) continue;
    if (words.length > 0 && apart && redirects(reader)) continue;
    const word = readWord(reader);
    if (!word) return words;
    if (words.length === 0 && setsHarmlessly(word, reader)) continue;
    if (words.length === 0) refuseFirst(word);
    words.push(word.text);
  }
}

function redirects(reader: Reader): boolean {
  if (take(reader, REDIRECT) === undefined) return false;
  reader.literal = true;
  const file = readWord(reader);
  if (!file || !reader.literal) throw new Opaque("it redirects to what only a shell can tell");
  reader.literal = false;
  reader.redirects.push(file.text);
  return true;
}

function setsHarmlessly({ assigns }: Word, reader: Reader): boolean {
  if (assigns === null || !HARMLESS_VARIABLES.has(assigns)) return false;
  reader.literal = false;
  return true;
}

const CONTROL = new Set(
  (
    "if then else elif fi do done case esac while until for in select function time coproc " +
    "! { } [[ ]]"
  ).split(" "),
);

function refuseFirst(word: Word): void {
  if (word.assigns !== null) throw new Opaque("it sets a variable");
  if (word.glob) throw new Opaque("the name of its program is a pattern");
  if (!word.quoted && CONTROL.has(word.text)) throw new Opaque(`it has the word “${word.text}”`);
}

/** Why a character outside of quotes needs a shell. */
const SPECIAL: Readonly<Record<string, string>> = {
  $: "it has a variable or substitution ($)",
  "`": "it has a substitution (`)",
  "(": "it has parentheses",
  ")": "it has parentheses",
  "<": "it redirects (<)",
  ">": "it redirects (>)",
  "*": "it has a pattern (*)",
  "?": "it has a pattern (?)",
  "[": "it has a pattern ([)",
  "{": "it has braces",
  "}": "it has braces",
  "&": "it runs something in the background (&)",
};

function bare({ line, at }: Reader): string {
  return SPECIAL[line[at] ?? ""] ?? "it cannot be parsed";
}

function readWord(reader: Reader): Word | undefined {
  const { line } = reader;
  const start = reader.at;
  const word: Word = { text: "", quoted: false, glob: false, assigns: null };
  while (reader.at < line.length) {
    const char = line[reader.at] ?? "";
    if (/[ \t\n;|]/.test(char) || line.startsWith("&&", reader.at)) break;
    if (char === "'") readSingle(reader, word);
    else if (char === '"') readDouble(reader, word);
    else if (char === "\\") readEscaped(reader, word);
    else readPlain(reader, word, start);
  }
  return reader.at === start ? undefined : word;
}

function readPlain(reader: Reader, word: Word, start: number): void {
  const char = reader.line[reader.at] ?? "";
  if ("*?[".includes(char)) refuseOptions(word, reader);
  else if (SPECIAL[char] !== undefined) throw new Opaque(bare(reader));
  if (char === "#" && reader.at === start) throw new Opaque("it has a comment (#)");
  // HEAD~1 is only itself; at the start, and after = or :, it is somebody's home.
  const before = reader.at === start ? "" : (reader.line[reader.at - 1] ?? "");
  if (char === "~" && !/[\w^~]/.test(before)) throw new Opaque("it names a home directory (~)");
  // Some shells take bytes of these for blanks.
  if (char > "~") throw new Opaque("it has special characters outside of quotes");
  if (char === "=") word.assigns ??= word.quoted ? "" : word.text;
  word.text += char;
  reader.at += 1;
}

/** A pattern may become any file's name, and a file may be named like an option. */
function refuseOptions(word: Word, reader: Reader): void {
  if (!/^[\w./]/.test(word.text)) throw new Opaque(`${bare(reader)}, which could match an option`);
  word.glob = true;
  reader.literal = false;
}

function readEscaped(reader: Reader, word: Word): void {
  const next = reader.line[reader.at + 1];
  if (next === undefined) throw new Opaque("it ends in a backslash");
  if (next > "~") throw new Opaque("it has special characters outside of quotes");
  reader.at += 2;
  if (next === "\n") return; // goes on in the next line
  word.text += next;
  word.quoted = true;
}

function readSingle(reader: Reader, word: Word): void {
  const end = reader.line.indexOf("'", reader.at + 1);
  if (end < 0) throw new Opaque("a quote is not closed");
  word.text += reader.line.slice(reader.at + 1, end);
  word.quoted = true;
  reader.at = end + 1;
}

function readDouble(reader: Reader, word: Word): void {
  const { line } = reader;
  word.quoted = true;
  for (reader.at += 1; ; reader.at += 1) {
    const char = line[reader.at];
    if (char === undefined) throw new Opaque("a quote is not closed");
    if (char === "$" || char === "`") throw new Opaque(bare(reader));
    if (char === '"') break;
    if (char === "\\" && /[$`"\\\n]/.test(line[reader.at + 1] ?? "")) {
      reader.at += 1;
      if (line[reader.at] !== "\n") word.text += line[reader.at];
    } else {
      word.text += char;
    }
  }
  reader.at += 1;
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.line)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}
