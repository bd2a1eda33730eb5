// The slash commands as one table, so that the lists, the parser and the help of every window agree. Those in
// `EVERYWHERE` are executed when a message is admitted (kernel/journal/admit/typed-commands.ts); the others belong to
// the page.

export type SlashName =
  | "stop"
  | "steer"
  | "queue"
  | "undo"
  | "retry"
  | "rewind"
  | "compress"
  | "goal"
  | "model"
  | "profile"
  | "title"
  | "branch"
  | "yolo"
  | "new"
  | "demo"
  | "help";

export type SlashCommand = {
  readonly does: string;
  /** The arguments; empty: none are allowed. */
  readonly hint: string;
  readonly argument: "none" | "optional" | "required";
  /** Arguments that are always offered. With `closed`, no others are accepted. */
  readonly words?: readonly string[];
  readonly closed?: true;
  readonly aliases?: readonly string[];
  readonly offers?: "models" | "profiles";
};

export const SLASH: Record<SlashName, SlashCommand> = {
  stop: { does: "Stop the run", hint: "", argument: "none", aliases: ["interrupt"] },
  steer: { does: "Say something to the running run", hint: "<message>", argument: "required" },
  queue: { does: "Say something for afterwards", hint: "<message>", argument: "required" },
  undo: { does: "Leave the newest exchange out", hint: "", argument: "none" },
  retry: { does: "Ask the newest message again", hint: "", argument: "none" },
  rewind: { does: "Choose a message to go back to", hint: "", argument: "none" },
  compress: {
    does: "Summarise the conversation for the model",
    hint: "[what to keep]",
    argument: "optional",
    aliases: ["compact"],
  },
  goal: {
    does: "Set, pause, resume or clear the goal, or show it",
    hint: "<goal> | pause | resume | clear | status",
    argument: "optional",
    words: ["pause", "resume", "clear", "status"],
  },
  model: {
    does: "Use another model from the next run on",
    hint: "<provider/model>",
    argument: "required",
    offers: "models",
  },
  profile: {
    does: "Use another profile from the next run on",
    hint: "<profile>",
    argument: "required",
    offers: "profiles",
  },
  title: { does: "Rename the session", hint: "<title>", argument: "required" },
  branch: {
    does: "Go on from here in a new session",
    hint: "",
    argument: "none",
    aliases: ["fork"],
  },
  yolo: {
    does: "Run everything without asking, or ask again",
    hint: "on | off",
    argument: "required",
    words: ["on", "off"],
    closed: true,
  },
  new: { does: "Begin a new session", hint: "", argument: "none" },
  demo: { does: "Start the demo in a new session", hint: "", argument: "none" },
  help: { does: "Show keys and commands", hint: "", argument: "none" },
};

/** Commands that work as a message in every window; not `yolo`, which a person sets where it is shown. */
export const EVERYWHERE = [
  "stop",
  "steer",
  "queue",
  "undo",
  "retry",
  "compress",
  "goal",
  "model",
  "profile",
  "title",
  "branch",
  "help",
] as const satisfies readonly SlashName[];
export type EverywhereName = (typeof EVERYWHERE)[number];

export function isEverywhere(name: SlashName): name is EverywhereName {
  return (EVERYWHERE as readonly SlashName[]).includes(name);
}

export const SLASH_NAMES = Object.keys(SLASH) as readonly SlashName[];

export function isSlashName(word: string): word is SlashName {
  return Object.hasOwn(SLASH, word);
}

/** The command with that name or alias. */
export function slashNamed(word: string): SlashName | undefined {
  if (isSlashName(word)) return word;
  return SLASH_NAMES.find((name) => SLASH[name].aliases?.includes(word));
}
