import { own } from "../../events/own.ts";
// What a run is doing now, in a few words for lists. It changes when a turn, a call or a plan's step
// begins, never while one goes on: the hot path of tokens does not know of it.

export const THINKING = "thinking";
export const WAITING = "waiting for you";
export const waitingForVolume = (volume: string) =>
  `waiting for a runner that reaches volume ${volume}`;
const MAX = 80; // characters
const TESTS =
  /(?:^|[\s/&;|])(?:tests?|vitest|jest|pytest|mocha|rspec|ctest|tox|unittest)(?:[\s:;|&.]|$)/i;

type Words = (given: Readonly<Record<string, unknown>>) => string;
const about =
  (doing: string, name: string): Words =>
  (given) =>
    `${doing} ${textOf(given[name])}`;
const WORDS: Readonly<Record<string, Words>> = {
  exec: ({ command }) =>
    TESTS.test(textOf(command).slice(0, 200)) ? "running tests" : `running ${textOf(command)}`,
  process: () => "looking after a background command",
  read: about("reading", "path"),
  write: about("writing", "path"),
  append: about("writing", "path"),
  edit: about("editing", "path"),
  list_files: () => "looking through files",
  search_files: () => "searching files",
  rollback: () => "rolling files back",
  compress: () => "compressing the conversation",
  web_fetch: about("reading", "url"),
  web_search: about("searching the web:", "query"),
  memory: () => "remembering",
  skill: () => "using a skill",
  session_search: () => "searching sessions",
  delegate: about("delegated:", "title"),
  clarify: () => "asking you",
  plan: () => "planning",
  todo: () => "planning",
};

/** Of a call that begins. */
export function doing(name: string, given: unknown): string {
  const words = own(WORDS, name);
  const known = typeof given === "object" && given !== null ? given : {};
  return short(words ? words(known as Record<string, unknown>) : `using ${name}`);
}

/** One line of bounded length. */
export function short(text: string): string {
  const line = text
    .slice(0, MAX * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut = line
    .slice(0, MAX - 1)
    .toWellFormed()
    .trimEnd();
  return line.length > MAX ? `${cut}…` : line;
}

/** From what is stored: the plan's step, a line break, what is done in it. */
export function activityText(stored: string): string {
  const [step = "", now = ""] = stored.split("\n");
  return now === "" || now === THINKING ? step || THINKING : now;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
