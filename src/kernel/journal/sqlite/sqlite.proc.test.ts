import { after } from "node:test";
import { stopPeers } from "../../../../test/support/peer.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { journalContract } from "../journal.contract.ts";

after(stopPeers);
journalContract("sqlite", async () => sqliteStore());
