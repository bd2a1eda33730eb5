// `migrate --from … --to …`: moves a stopped journal between a home and a database, either way. The source stays as
// it is; the target can be opened once everything in it was checked.
import { readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, type Parsed, UsageError } from "../config.ts";
import type { Migrated, Place, Step } from "../kernel/journal/migrate/migrate.ts";
import { lifetime } from "./lifetime.ts";
import { asUsageError, blobKeys, reach } from "./open-journal.ts";
import { FEATURES } from "../features/journal-features.ts";

export const flags = {
  from: { type: "string" },
  to: { type: "string" },
  "from-blobs": { type: "string" },
  "to-blobs": { type: "string" },
  "keep-damaged": { type: "boolean" },
  "stopped-elsewhere": { type: "boolean" },
} as const;

const HOW = "quarterdeck migrate --from DIR|postgres://… --to DIR|postgres://…";
const EXIT_REFUSED = 3;
const EXIT_INTERRUPTED = 130;

export async function command({ config, values }: Parsed): Promise<number> {
  // An address in the environment is not seen in the list of processes.
  const { from = config.database, to = config.database } = values;
  if (typeof from !== "string" || typeof to !== "string" || from === to) {
    throw new UsageError(`How? ${HOW}`);
  }
  const source = await placeAt(config, { place: from, blobs: values["from-blobs"] });
  const target = await placeAt(config, { place: to, blobs: values["to-blobs"] });
  const { migrate } = await import("../kernel/journal/migrate/migrate.ts");
  const signal = lifetime();
  try {
    const moved = await migrate({
      features: FEATURES,
      from: source,
      to: target,
      keepDamaged: values["keep-damaged"] === true,
      stoppedElsewhere: values["stopped-elsewhere"] === true,
      shared: "home" in source ? await sharedIn(source.home) : new Map<string, string>(),
      progress: progressOn(process.stderr),
      signal,
    });
    if ("home" in target) await keepShared(target.home, moved.shared);
    console.log(summary(moved));
    return 0;
  } catch (error) {
    if (!signal.aborted) throw await sentenceFor(error);
    const what = "Stopped. The source is as it was; the target is incomplete until it is run again";
    throw new UsageError(`${what}.`, EXIT_INTERRUPTED);
  }
}

type Wanted = { readonly place: string; readonly blobs: Parsed["values"][string] };

async function placeAt(config: Config, { place, blobs }: Wanted): Promise<Place> {
  if (!/^postgres(ql)?:\/\//.test(place)) {
    if (blobs !== undefined) throw new UsageError("A home keeps its blobs itself.");
    return { home: resolve(place) };
  }
  if (!URL.canParse(place)) throw new UsageError(`The address cannot be read. ${HOW}`);
  await reach({ ...config, database: place }, {});
  const known = place === config.database ? config.blobs : undefined;
  const url = typeof blobs === "string" ? blobs : known;
  return { url: place, blobs: url, environment: blobKeys(config.secret) };
}

/** What a home keeps in files and a database in itself: whoever is logged in stays so, and is told as before. */
const SHARED_FILES = { token: "token", "push-keys": "push-keys.json" } as const;

async function sharedIn(home: string): Promise<Map<string, string>> {
  const shared = new Map<string, string>();
  for (const [name, file] of Object.entries(SHARED_FILES)) {
    const value = await readFile(join(home, file), "utf8").catch(() => "");
    if (value.trim() !== "") shared.set(name, value.trim());
  }
  return shared;
}

async function keepShared(home: string, shared: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, file] of Object.entries(SHARED_FILES)) {
    const value = shared.get(name);
    if (value === undefined) continue;
    const path = join(home, file);
    await writeFile(`${path}.new`, `${value}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}

const EVERY_MS = 1_000;
const DOING: Readonly<Record<Step, string>> = {
  events: "events copied",
  records: "records copied",
  blobs: "blobs copied",
  checked: "events read back",
  lists: "making lists anew",
};

/** A line a second at most. */
function progressOn(stream: NodeJS.WritableStream): (step: Step, done: number) => void {
  let [step, began, emitted] = ["", 0, 0];
  return (now, done) => {
    const at = performance.now();
    if (now !== step) [step, began, emitted] = [now, at, 0];
    if (at - emitted < EVERY_MS) return;
    emitted = at;
    const rate = Math.round(done / Math.max(0.001, (at - began) / 1000));
    const count = done.toLocaleString("en");
    const speed = began === at ? "" : ` (${rate.toLocaleString("en")}/s)`;
    stream.write(now === "lists" ? `${DOING[now]}\n` : `${count} ${DOING[now]}${speed}\n`);
  };
}

function summary(moved: Migrated): string {
  const { events, records, blobs, absent, damaged, problems } = moved;
  const counts = [
    `${events.toLocaleString("en")} events`,
    `${records.toLocaleString("en")} records`,
    `${blobs.toLocaleString("en")} blobs`,
  ];
  return [
    `Moved from ${moved.from} to ${moved.to}, epoch ${moved.epoch}: ${counts.join(", ")}; every hash was checked at both ends.`,
    ...problems.map(({ logId, problem }) => `Quarantined: ${logId}, ${problem}.`),
    ...damaged.map((sha256) => `Left out, because it is damaged: blob ${sha256}.`),
    ...(absent > 0 ? [`${absent} blobs that events name were not in the source.`] : []),
    "The source is as it was: do not start it again, or there are two.",
  ].join("\n");
}

const FORBIDDEN = "42501"; // insufficient_privilege

async function sentenceFor(error: unknown): Promise<unknown> {
  const { name, message, code } = error as Error & { code?: string };
  if (name === "MigrationError") return new UsageError(message, EXIT_REFUSED);
  if (code === FORBIDDEN) {
    return new UsageError(
      `This role may not do that (${message}). Migrate with the owner's role.`,
      EXIT_REFUSED,
    );
  }
  const { isLost } = await import("../kernel/journal/postgres/connection.ts");
  if (isLost(error)) {
    const what = `The database went away (${message}). The target is incomplete: run it again.`;
    return new UsageError(what, EXIT_REFUSED);
  }
  try {
    return asUsageError(error);
  } catch (known) {
    return known;
  }
}
