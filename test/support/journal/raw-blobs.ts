// Reads contents without the product: files in the home, or rows of the database.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ON_POSTGRES } from "../backend.ts";
import type { TestHome } from "../program.ts";
import { rawSql } from "./raw-journal.ts";

export async function removeBlob(place: TestHome, sha256: string): Promise<void> {
  if (ON_POSTGRES) await rawSql(place, "DELETE FROM blobs WHERE sha256 = ?", sha256);
  else rmSync(join(place.home, "blobs", sha256.slice(0, 2), sha256));
}

/** Unfinished uploads, which no reader can find yet. */
export async function unfinishedBlobs(place: TestHome): Promise<unknown[]> {
  if (ON_POSTGRES) return rawSql(place, "SELECT upload_id FROM blobs WHERE sha256 IS NULL");
  return readdirSync(join(place.home, "blobs")).filter((name) => name.endsWith(".tmp"));
}

/** The size of all contents. */
export async function storedBytes(place: TestHome): Promise<number> {
  if (ON_POSTGRES) {
    const sql = "SELECT coalesce(sum(octet_length(bytes)), 0) AS bytes FROM blob_chunks";
    const [row] = (await rawSql(place, sql)) as { bytes: string }[];
    return Number(row?.bytes);
  }
  const entries = readdirSync(join(place.home, "blobs"), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
