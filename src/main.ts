#!/usr/bin/env node
// The composition root: the only file that reads flags and environment, and knows every command.
// Commands are loaded on demand, so that each starts as fast as it can.
import { existsSync } from "node:fs";
import nodeModule from "node:module"; // not imported by name, because Node 20 would not even load this file
import { homedir } from "node:os";
import { join } from "node:path";
import { COMMANDS, drawsScreen, helpOf, type CommandName } from "./cli/commands.ts";
import { guardOutput } from "./cli/guarded-output.ts";

// The next start executes the compile cache, so it is in the home, where no tool reaches it, and not in
// the system's temporary directory, where every command without a sandbox could change it.
const home = flagOf("--home") ?? process.env["QUARTERDECK_HOME"] ?? join(homedir(), ".quarterdeck");
if (existsSync(home)) {
  const usual = process.umask(0o077); // readable by its owner only, like everything there
  nodeModule.enableCompileCache?.(join(home, "compile-cache"));
  process.umask(usual);
}

function flagOf(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  if (at >= 0) return process.argv[at + 1];
  return process.argv.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Journals that must not be opened. */
const REFUSED = new Set([
  "NewerJournalError",
  "InterruptedMigrationError",
  "DamagedJournalError",
  "JournalOpenError",
]);

/** Commands that continue when their output is closed: a run goes on after `| head`. */
const UNREAD = new Set(["up", "serve", "work", "gateway", "run"]);
const EXIT_STORAGE = 74;
const EXIT_UNREAD = 141; // as by SIGPIPE, which Node ignores

async function helpOfAll(): Promise<string> {
  const { flagsHelp } = await import("./config.ts");
  const commands = Object.entries(COMMANDS).map(
    ([name, { line }]) => `  ${name.padEnd(10)}${line}`,
  );
  return ["quarterdeck <command> [flags]", "", ...commands, "", flagsHelp()].join("\n");
}

async function main(argv: readonly string[]): Promise<number> {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 24) {
    process.stderr.write(
      `Quarterdeck needs Node 24 or newer, and this is ${process.version}. Install Node 24, or in a checkout type ` +
        `"npm run -s quarterdeck -- …", which brings its own.\n`,
    );
    return 2;
  }
  const [name = "up", ...rest] = argv[0]?.startsWith("-") ? ["up", ...argv] : argv;
  const asked = name === "help" ? (rest[0] ?? "") : name;
  if (rest.includes("--help") || rest.includes("-h") || name === "help") {
    const ofOne = isCommand(asked) && !argv[0]?.startsWith("-");
    process.stdout.write(`${ofOne ? helpOf(asked) : await helpOfAll()}\n`);
    return 0;
  }
  if (argv[0] === "--version" || name === "version") {
    const { VERSION } = await import("./kernel/events/version.ts");
    process.stdout.write(`Quarterdeck ${VERSION}\n`);
    return 0;
  }
  const { readConfig, UsageError } = await import("./config.ts");
  try {
    if (!isCommand(name)) throw new UsageError(`There is no command “${name}”. Try --help.`);
    onceUnread(name);
    if (!drawsScreen(name)) guardTerminal();
    const { command, flags } = await COMMANDS[name].load();
    const parsed = readConfig(rest, process.env, flags);
    const extra = parsed.positionals[COMMANDS[name].words];
    if (extra !== undefined) {
      throw new UsageError(`“${extra}” is one word too many for “${name}”. Try --help.`);
    }
    return await command(parsed, rest);
  } catch (error) {
    const { name: kind, code, path } = error as NodeJS.ErrnoException;
    const known = error instanceof UsageError || REFUSED.has(kind) || code === "unavailable";
    guardTerminal();
    const fault = known
      ? undefined
      : (await import("./kernel/journal/sqlite/storage-faults.ts")).storageFault(error);
    if (fault !== undefined) {
      process.stderr.write(`Stopping: ${path ?? "the storage"} cannot be used, ${fault}.\n`);
      return EXIT_STORAGE;
    }
    process.stderr.write(`${known ? (error as Error).message : String((error as Error).stack)}\n`);
    return error instanceof UsageError ? error.exitCode : known ? 3 : 70;
  }
}

function guardTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) guardOutput(stream);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

/** The reader of our output has gone (`| head -1`). Without a listener that is a crash with a stack trace. */
function onceUnread(name: string): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      if (!UNREAD.has(name)) process.exit(EXIT_UNREAD);
    });
  }
}

process.exitCode = await main(process.argv.slice(2));
