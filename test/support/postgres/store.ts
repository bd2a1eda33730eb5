// A journal in a separate database that is dropped with the test.
import type { Store } from "../../../src/kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../../src/kernel/journal/journal.ts";
import { openPostgres } from "../../../src/kernel/journal/postgres/postgres.ts";
import { connectPeer } from "../peer.ts";
import { sharedPostgres } from "./postgres.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

export type PostgresStore = Store & { readonly url: string };

export async function postgresStore(): Promise<PostgresStore> {
  const server = await sharedPostgres();
  const url = await server.database();
  const open: Journal[] = [];
  let connected = 0;
  return {
    url,
    async connect() {
      connected += 1;
      const place = { url, name: `test-${connected}` };
      const first = connected === 1; // the others are real processes: `stopPeers` ends them
      const journal = first
        ? await openPostgres({ ...place, features: FEATURES })
        : await connectPeer(place);
      open.push(journal);
      return journal;
    },
    async [Symbol.asyncDispose]() {
      for (const journal of open.splice(0)) await journal[Symbol.asyncDispose]();
      await server.drop(url);
    },
  };
}
