// A SQLite journal in a separate directory that is removed with the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../src/kernel/journal/contract/store.contract.ts";
import type { WorkspaceRules } from "../../../src/kernel/journal/admit/workspaces.ts";
import type { FatalJournalError } from "../../../src/kernel/journal/sqlite/database.ts";
import type { Journal } from "../../../src/kernel/journal/journal.ts";
import { journalPath, openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { connectPeer } from "../peer.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

export type SqliteStore = Store & {
  readonly home: string;
  readonly path: string;
  readonly fatal: FatalJournalError[];
  /** Closes every journal, for tests that need exclusive use of the file. */
  closeAll(): Promise<void>;
};

export function sqliteStore(workspaces?: WorkspaceRules): SqliteStore {
  const home = mkdtempSync(join(tmpdir(), "qd-"));
  const fatal: FatalJournalError[] = [];
  const open: Journal[] = [];
  let connected = 0;
  let here = false; // a journal of this very process
  const notHere = (error: unknown): never => {
    here = false;
    throw error;
  };
  const closeAll = async () => {
    here = false;
    for (const journal of open.splice(0)) await journal[Symbol.asyncDispose]();
  };
  return {
    home,
    path: journalPath(home),
    fatal,
    closeAll,
    async connect() {
      connected += 1;
      const name = `test-${connected}`;
      const onFatal = (error: FatalJournalError) => void fatal.push(error);
      const first = !here; // the others are real processes: `stopPeers` ends them
      here = true;
      const journal = first
        ? await openSqlite({
            features: FEATURES,
            home,
            name,
            onFatal,
            ...(workspaces && { workspaces }),
          }).catch(notHere)
        : await connectPeer({ home, name });
      open.push(journal);
      return journal;
    },
    async [Symbol.asyncDispose]() {
      await closeAll();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
