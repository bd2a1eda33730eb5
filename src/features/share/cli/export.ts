// `export SESSION|RUN`: one file that opens offline, or lines for programs. Nothing that exists is overwritten.
import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { type Parsed, UsageError } from "../../../config.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import {
  SHARE_FORMATS,
  SHARE_PARTS,
  SHARE_POLICIES,
  type SharePart,
} from "../../../kernel/events/share-policy.ts";
import { prepareShare } from "../server/export.ts";
import { pageOf, readViewer, withBreaks } from "../server/html.ts";
import { shareName } from "../server/share-name.ts";
import { sourceOfRun, sourceOfSession, type ShareSource } from "../server/source.ts";
import { WEB } from "../../../kernel/workspace/host/program-places.ts";
import { openJournal } from "../../../cli/open-journal.ts";

export const flags = {
  format: { type: "string" },
  policy: { type: "string" },
  without: { type: "string", multiple: true },
  output: { type: "string", short: "o" },
} as const;

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  const [id] = positionals;
  if (!id) throw new UsageError("What? quarterdeck export SESSION|RUN [-o FILE]");
  const format = oneOf("format", values["format"] ?? "html", SHARE_FORMATS);
  const policy = oneOf("policy", values["policy"] ?? "share", SHARE_POLICIES);
  const without = partsIn(values["without"] as string[] | undefined);
  const output = values["output"] as string | undefined;
  try {
    await using journal = await openJournal(config);
    const source = await find(journal, id);
    const viewer = format === "html" ? await readViewer(WEB) : null;
    const request = { policy, without, by: "the shell", at: Date.now() / 1000 };
    const { manifest, lines } = await prepareShare(source, journal.redactor, request);
    const about = { session_id: manifest.session_id, run_id: manifest.run_id, format, policy };
    await journal.systemLog.note([{ type: "export.made", payload: { by: "shell", ...about } }]);
    const bytes = viewer ? pageOf(viewer, manifest, lines()) : withBreaks(lines());
    if (output === "-") {
      for await (const chunk of bytes) await written(chunk);
      return 0;
    }
    const path = resolve(output ?? shareName(manifest, format));
    await write(path, bytes);
    const { events, redacted } = manifest;
    console.log(`${path}: ${events} events, ${redacted} of them redacted (policy ${policy}).`);
    return 0;
  } catch (error) {
    if (error instanceof ApiError) throw new UsageError(error.message, 1);
    throw error;
  }
}

async function find(journal: Journal, id: string): Promise<ShareSource> {
  const session = await journal.reads.session(id);
  if (session) return sourceOfSession(journal, session);
  const run = await journal.reads.run(id);
  const around = run && (await journal.reads.session(run.session_id));
  if (!run || !around) throw new UsageError(`There is no session and no run ${id}.`, 1);
  return sourceOfRun(journal, around, run);
}

/** A new file, or none: what was begun and could not be ended is taken away again. */
async function write(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  if (existsSync(path)) throw new UsageError(`${path} exists already; nothing was written.`, 1);
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be written (${error.code ?? error.message}).`, 3);
  });
  try {
    for await (const chunk of bytes) await file.writeFile(chunk);
    await file.close();
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}

function written(chunk: Buffer): Promise<void> {
  return new Promise((done, fail) =>
    process.stdout.write(chunk, (error) => (error ? fail(error) : done())),
  );
}

function partsIn(given: readonly string[] = []): SharePart[] {
  const named = given.flatMap((text) => text.split(",")).filter((part) => part !== "");
  return named.map((part) => oneOf("without", part, SHARE_PARTS));
}

function oneOf<Name extends string>(flag: string, given: unknown, names: readonly Name[]): Name {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new UsageError(`--${flag} is one of ${names.join(", ")}.`);
  return found;
}
