// The events of a file (one of ours, or lines as `run --json` prints them), a run or a session. What is read is
// closed again before anything is done with it.
import { existsSync } from "node:fs";
import { type Config, UsageError } from "../../../config.ts";
import { verify } from "../../../kernel/journal/hash-chain.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { readRecording } from "../server/read-recording.ts";
import { sourceOfRun, sourceOfSession } from "../server/source.ts";
import { openJournal } from "../../../cli/open-journal.ts";
import { readFileWhole } from "../../../cli/read-file.ts";

export async function recordedEvents(config: Config, named: string): Promise<readonly RunEvent[]> {
  try {
    return existsSync(named) ? await inFile(named) : await inJournal(config, named);
  } catch (error) {
    if (error instanceof ApiError) throw new UsageError(error.message, 1);
    throw error;
  }
}

async function inFile(name: string): Promise<readonly RunEvent[]> {
  const file = readFileWhole(name);
  if (!file.subarray(0, 12).toString().startsWith('{"event_id"')) {
    return (await readRecording(file)).events;
  }
  const lines = file.toString().split("\n").filter(Boolean);
  if (lines.some((line) => verify(line, undefined) === undefined)) {
    throw new UsageError(`${name} was changed: the hash of an event does not fit.`, 1);
  }
  return lines.map((line) => JSON.parse(line) as RunEvent);
}

async function inJournal(config: Config, id: string): Promise<readonly RunEvent[]> {
  await using journal = await openJournal(config);
  const run = await journal.reads.run(id);
  const session = await journal.reads.session(run?.session_id ?? id);
  if (!session) throw new UsageError(`There is no file, no run and no session ${id}.`, 1);
  const source = run
    ? await sourceOfRun(journal, session, run)
    : await sourceOfSession(journal, session);
  return (await Array.fromAsync(source.events())).map(({ event }) => event);
}
