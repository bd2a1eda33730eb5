// The parts of a journal that both databases share: everything except the hot path (append, claim), wake-ups and files.
import type { BlobStore } from "../blobs/blobs.ts";
import { olderIndex } from "../search/older.ts";
import { commands, manualCommands } from "./admit/commands.ts";
import { workspaces, type WorkspaceRules } from "./admit/workspaces.ts";
import { homeFiles } from "./system-log/home-files.ts";
import { systemLog } from "./system-log/system-log.ts";
import { maintenance } from "./maintenance.ts";
import { eventReads, reads, type Reading } from "./read/reads.ts";
import { snapshots } from "./read/snapshots.ts";
import { registry } from "./registry.ts";

type Kept = {
  readonly blobs: BlobStore;
  readonly workspaces?: WorkspaceRules | undefined;
};

export function records(given: Omit<Reading, "workspaces">, { blobs, workspaces: rules }: Kept) {
  const { sql, transact } = given;
  const reading: Reading = { ...given, workspaces: workspaces(rules) };
  const { snapshot, savedFold, ...saving } = snapshots(sql, transact);
  return {
    blobs,
    database: { sql, transact },
    workspaces: reading.workspaces,
    ...commands({ ...reading, blobs }),
    ...manualCommands(transact),
    ...eventReads(reading),
    ...saving,
    reads: { ...reads(reading), snapshot, savedFold },
    registry: registry(sql, transact),
    systemLog: systemLog(given),
    homeFiles: homeFiles(sql, transact),
    upkeep: { ...maintenance({ afresh: (work) => work(sql), ...given }), ...olderIndex(given) },
  };
}
