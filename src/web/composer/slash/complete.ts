// Completions for a typed command. Pure: names from the server are passed in.
import {
  isSlashName,
  SLASH,
  SLASH_NAMES,
  type SlashName,
} from "../../../kernel/text/slash-commands.ts";

export type Offers = { readonly models: readonly string[]; readonly profiles: readonly string[] };
export type Option = {
  readonly label: string;
  readonly note: string;
  readonly hint: string;
  readonly text: string; // what the field says when it is chosen
  readonly complete: boolean; // nothing more is needed
};
export type Completion = {
  readonly of: "command" | "argument";
  readonly options: readonly Option[];
};

const NAME = /^\/([a-z-]*)$/i;
const ARGUMENT = /^\/([a-z-]+)\s+(\S*)$/i;
const MAX_OPTIONS = 50;

export function completeSlash(text: string, offers: Offers): Completion | null {
  const name = NAME.exec(text);
  if (name) return listOf("command", namesLike((name[1] ?? "").toLowerCase()).map(commandOption));
  const argument = ARGUMENT.exec(text);
  const word = argument?.[1]?.toLowerCase() ?? "";
  if (!argument || !isSlashName(word)) return null;
  const typed = (argument[2] ?? "").toLowerCase();
  const known = valuesOf(word, offers).filter((value) => value.toLowerCase().includes(typed));
  if (known.some((value) => value.toLowerCase() === typed)) return null; // it says all there is to say
  return listOf(
    "argument",
    ranked(known, typed).map((value) => ({
      label: value,
      note: "",
      hint: "",
      text: `/${word} ${value}`,
      complete: true,
    })),
  );
}

function listOf(of: Completion["of"], options: readonly Option[]): Completion | null {
  return options.length === 0 ? null : { of, options: options.slice(0, MAX_OPTIONS) };
}

/** Names with this prefix first, then those whose description has such a word. */
function namesLike(typed: string): readonly SlashName[] {
  const begins = SLASH_NAMES.filter((name) => name.startsWith(typed));
  if (typed.length < 3) return begins;
  const deps = SLASH_NAMES.filter(
    (name) =>
      !begins.includes(name) &&
      SLASH[name].does
        .toLowerCase()
        .split(/\W+/)
        .some((word) => word.startsWith(typed)),
  );
  return [...begins, ...deps];
}

function commandOption(name: SlashName): Option {
  const { does, hint, argument } = SLASH[name];
  const complete = argument !== "required";
  return { label: `/${name}`, note: does, hint, complete, text: `/${name}${complete ? "" : " "}` };
}

function valuesOf(name: SlashName, known: Offers): readonly string[] {
  const { words = [], offers } = SLASH[name];
  return [...words, ...(offers ? known[offers] : [])];
}

function ranked(values: readonly string[], typed: string): readonly string[] {
  const begins = (value: string) => Number(!value.toLowerCase().startsWith(typed));
  return values.toSorted((a, b) => begins(a) - begins(b));
}
