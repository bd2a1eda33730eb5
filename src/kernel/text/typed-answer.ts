// Parses text that is typed at a terminal as the answer to a request. Only an unmistakable answer counts: anything else
// is undefined, and the request is shown again. A typo must neither allow nor deny.
import { own } from "../events/own.ts";

export type ApprovalChoice = "once" | "session" | "always" | "deny";
export type TypedApproval = { readonly choice: ApprovalChoice; readonly feedback: string };

const APPROVALS: Readonly<Record<string, ApprovalChoice>> = {
  y: "once",
  yes: "once",
  once: "once",
  s: "session",
  session: "session",
  a: "always",
  always: "always",
  n: "deny",
  no: "deny",
  deny: "deny",
};

type Offered = { readonly choices: readonly string[]; readonly always: unknown };

/** A yes is one word and nothing else; a no may say why. */
export function typedApproval(words: string, offered: Offered): TypedApproval | undefined {
  const [, word = "", feedback = ""] = /^([a-z]+)(?:[\s,:]+([^]*))?$/i.exec(words) ?? [];
  const choice = own(APPROVALS, word.toLowerCase());
  if (!choice || !offered.choices.includes(choice)) return undefined;
  if (choice === "always" && offered.always === null) return undefined;
  if (choice !== "deny" && feedback !== "") return undefined;
  return { choice, feedback: feedback.trim() };
}

/** Finds a choice by its number or its text. */
export function typedChoice(words: string, choices: readonly string[]): string | undefined {
  const numbered = /^[1-9]$/.test(words) ? choices[Number(words) - 1] : undefined;
  return numbered ?? choices.find((choice) => choice.toLowerCase() === words.toLowerCase());
}
