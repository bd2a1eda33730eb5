// Slash commands as the clients of the console and of the web UI complete them: their names and what they ask for.
// Each stands for a route of this API; what the client does by itself says so (`cli_only` is its word).
export type ConsoleCommand = {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly aliases: readonly string[];
  readonly names: readonly string[];
  readonly args_hint: string;
  readonly subcommands: readonly string[];
  readonly cli_only: boolean;
  readonly gateway_only: boolean;
  readonly gateway_config_gate: null;
};

type Brief = [name: string, description: string, more?: Partial<ConsoleCommand>];

const SESSION: readonly Brief[] = [
  ["new", "Start a new session", { aliases: ["reset", "clear"] }],
  ["title", "Rename the session", { args_hint: "<title>" }],
  ["branch", "Go on from here in a new session", { aliases: ["fork"], args_hint: "[message]" }],
  ["resume", "Open an earlier session", { args_hint: "[session]" }],
  ["history", "Show what was said"],
  ["save", "Export the session", { args_hint: "[md|json|html]" }],
  ["compress", "Summarise the conversation", { aliases: ["compact"], args_hint: "[topic]" }],
];
const RUN: readonly Brief[] = [
  ["retry", "Ask the last message again"],
  ["undo", "Leave the last exchange out"],
  ["stop", "Stop the running run", { aliases: ["interrupt"] }],
  ["queue", "Ask after the running run", { args_hint: "<message>" }],
  ["steer", "Tell the running agent something", { args_hint: "<message>" }],
  ["background", "Ask in a session of its own", { aliases: ["bg"], args_hint: "<message>" }],
  ["btw", "A quick question beside the conversation", { args_hint: "<question>" }],
  [
    "goal",
    "A standing goal",
    { args_hint: "[text]", subcommands: ["set", "status", "pause", "resume", "clear"] },
  ],
];
const CONTROL: readonly Brief[] = [
  ["model", "Use another model from here on", { args_hint: "<provider/model>" }],
  ["profile", "Use another profile from here on", { args_hint: "<profile>" }],
  ["yolo", "Allow everything that would be asked", { subcommands: ["on", "off"] }],
  ["rollback", "Take back what the agent did to files", { args_hint: "[checkpoint]" }],
  ["status", "What is running, and what waits"],
  ["usage", "What was used"],
  ["help", "What there is"],
];

export const CONSOLE_COMMANDS: readonly ConsoleCommand[] = [
  ...SESSION.map((brief) => toCommand("session", brief)),
  ...RUN.map((brief) => toCommand("run", brief)),
  ...CONTROL.map((brief) => toCommand("control", brief)),
];

function toCommand(category: string, [name, description, more = {}]: Brief): ConsoleCommand {
  return {
    name,
    description,
    category,
    aliases: [],
    args_hint: "",
    subcommands: [],
    cli_only: false,
    gateway_only: false,
    gateway_config_gate: null,
    ...more,
    names: [name, ...(more.aliases ?? [])],
  };
}
