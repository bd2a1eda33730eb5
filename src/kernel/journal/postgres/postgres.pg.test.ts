import { after } from "node:test";
import { stopPeers } from "../../../../test/support/peer.ts";
import { postgresStore } from "../../../../test/support/postgres/store.ts";
import { journalContract } from "../journal.contract.ts";

after(stopPeers);
journalContract("postgres", postgresStore);
