// What is written once for every database: all of a journal but its hot path (append, claim), its wake-ups and its files.
import type { BlobStore } from "../blobs/blobs.ts";
import { olderIndex } from "../search/older.ts";
import { commands, ownCommands } from "./admit/commands.ts";
import { workspaces, type WorkspaceRules } from "./admit/workspaces.ts";
import { homeFiles } from "./house/home-files.ts";
import { house } from "./house/house.ts";
import { maintenance } from "./maintenance.ts";
import { reads, type Reading } from "./read/reads.ts";
import { snapshots } from "./read/snapshots.ts";
import { registry } from "./registry.ts";

type Kept = {
  readonly blobs: BlobStore;
  readonly workspaces?: WorkspaceRules | undefined;
};

export function records(reading: Omit<Reading, "workspaces">, { blobs, workspaces: rules }: Kept) {
  const { sql, transact } = reading;
  const taken = workspaces(rules);
  const admitted = commands({ transact, blobs, workspaces: taken });
  return {
    blobs,
    database: { sql, transact },
    workspaces: taken,
    watchCommands: admitted.watchCommands,
    ...admitted.commands,
    ...ownCommands(transact),
    ...reads({ ...reading, workspaces: taken }),
    ...snapshots(sql, transact),
    ...registry(sql, transact),
    ...house(sql, transact),
    ...homeFiles(sql, transact),
    ...maintenance({ afresh: (work) => work(sql), ...reading }),
    ...olderIndex(reading),
  };
}
