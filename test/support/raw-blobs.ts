// Contents behind the product's back: files in the home, or rows of the database.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ON_POSTGRES } from "./backend.ts";
import type { Place } from "./program.ts";
import { rawSql } from "./raw-journal.ts";

export async function removeBlob(place: Place, sha256: string): Promise<void> {
  if (ON_POSTGRES) await rawSql(place, "DELETE FROM blobs WHERE sha256 = ?", sha256);
  else rmSync(join(place.home, "blobs", sha256.slice(0, 2), sha256));
}

/** Uploads that are not over: nobody can find them yet. */
export async function unfinishedBlobs(place: Place): Promise<unknown[]> {
  if (ON_POSTGRES) return rawSql(place, "SELECT upload_id FROM blobs WHERE sha256 IS NULL");
  return readdirSync(join(place.home, "blobs")).filter((name) => name.endsWith(".tmp"));
}
