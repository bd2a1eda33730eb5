// The high-water mark of a journal file: compared when the journal opens, moved soon after commits.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { newEpoch, type Database } from "./database.ts";
import { lossOf, readMark, writeMark, type Loss, type Mark } from "./high-water-mark.ts";
import { appendToSystemLog } from "../system-log/system-log.ts";
import { transactions } from "./transaction.ts";
import type { Catalogue } from "../project/catalogue.ts";
import { integer, rowsOf, text } from "../rows.ts";
import { EVENTS, META } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";
import { sqliteSearchIndex } from "./full-text.ts";

const SOON_MS = 1_000;

export function markPath(home: string): string {
  return join(home, "journal.mark");
}

const LAST = `SELECT event_key AS events, substr(body, -66, 64) AS hash FROM events
  ORDER BY event_key DESC LIMIT 1`;
const AT = "SELECT body FROM events WHERE event_key = ?";
const EPOCH = "SELECT value FROM meta WHERE key = 'epoch'";
const LAST_EVENT = rowsOf("events", { events: integer, hash: text });
const BODY = rowsOf("events", pick(EVENTS, "body"));
const VALUE = rowsOf("meta", pick(META, "value"));
const SAID = "SELECT 1 FROM meta WHERE key = 'lost' AND value = ?";
const SAY = `INSERT INTO meta (key, value) VALUES ('lost', ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The epoch to use: a new one if acknowledged events are missing, so that cursors to them are refused (K3). */
export async function settleEpoch(
  db: Database,
  { home, catalogue }: { readonly home: string; readonly catalogue: Catalogue },
): Promise<{ epoch: string; loss?: Loss }> {
  const mark = readMark(markPath(home));
  const { events } = lastOf(db);
  const row = mark && db.get(AT, mark.events);
  const atMark = row && BODY.of(row).body;
  const loss = lossOf(mark, { events, atMark, hasBlobs: hasBlobs(home) });
  if (!loss) return { epoch: db.epoch };
  const epoch = newEpoch();
  const about = JSON.stringify(mark ?? null);
  const sealing = { epoch, redact: undefined, words: sqliteSearchIndex, catalogue };
  const said = await transactions(db, sealing, () => {})(null, async (tx) => {
    if (await tx.get(SAID, about)) return false; // by another process, or before the mark was moved
    await tx.run("UPDATE meta SET value = ? WHERE key = 'epoch'", epoch);
    await tx.run(SAY, about);
    await appendToSystemLog(tx, [{ type: "history.lost", payload: { by: "house", ...loss } }]);
    return true;
  });
  return said ? { epoch, loss } : { epoch: VALUE.of(db.get(EPOCH) ?? {}).value };
}

function lastOf(db: Database): { events: number; hash: string } {
  const last = db.get(LAST);
  return last ? LAST_EVENT.of(last) : { events: 0, hash: "" };
}

function hasBlobs(home: string): boolean {
  try {
    return readdirSync(join(home, "blobs")).some((name) => name.length === 2);
  } catch {
    return false;
  }
}

export type MarkKeeper = Disposable & { readonly soon: () => void };

/**
 * Moves the mark at most once a second and at the end. What a connection can read is durable (J3), so the mark is never
 * ahead of the journal, whichever process is killed.
 */
export function keepMark(
  db: Database,
  { home, epoch }: { home: string; epoch: string },
): MarkKeeper {
  let written: Mark | undefined;
  let timer: NodeJS.Timeout | undefined;
  const move = () => {
    const { events, hash } = lastOf(db);
    if (written?.events === events) return;
    try {
      writeMark(markPath(home), (written = { epoch, events, hash }));
    } catch {
      written = undefined; // a full disk: an older mark is still true
    }
  };
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (db.writing) soon(); // what this connection reads now may still be rolled back
      else move();
    }, SOON_MS).unref();
  };
  move();
  return {
    soon,
    [Symbol.dispose]() {
      clearTimeout(timer);
      if (!db.writing) move();
    },
  };
}
