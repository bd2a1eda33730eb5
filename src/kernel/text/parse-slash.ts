// Parses a message as a slash command and its arguments. Pure. Only a bare word after the first slash is a command: a
// path ("/etc/hosts is wrong") is an ordinary message.
import { SLASH, slashNamed, type SlashName } from "./slash-commands.ts";

export type Parsed =
  | { readonly kind: "message" }
  | { readonly kind: "unknown"; readonly word: string }
  | { readonly kind: "wrong"; readonly name: SlashName; readonly problem: string }
  | { readonly kind: "command"; readonly name: SlashName; readonly argument: string };

const COMMAND = /^\/([a-z][a-z-]*)(?:\s+([^]*))?$/i;

export function parseSlash(text: string): Parsed {
  const match = COMMAND.exec(text.trim());
  if (!match) return { kind: "message" };
  const word = (match[1] ?? "").toLowerCase();
  const argument = (match[2] ?? "").trim();
  const name = slashNamed(word);
  if (!name) return { kind: "unknown", word };
  const { argument: wanted, hint, closed, words } = SLASH[name];
  const wrong = (problem: string) => ({ kind: "wrong", name, problem }) as const;
  if (wanted === "none" && argument !== "") return wrong(`/${word} takes nothing behind it.`);
  if (wanted === "required" && argument === "") return wrong(`/${word} needs ${hint}.`);
  if (closed && argument !== "" && !words?.includes(argument.toLowerCase())) {
    return wrong(`/${word} takes ${hint}.`);
  }
  return { kind: "command", name, argument: closed ? argument.toLowerCase() : argument };
}
