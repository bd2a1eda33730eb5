// Where the token is kept: in a file of the home, or in the database that all machines share. API_SERVER_KEY wins
// over both, and cannot be changed from here.
import { statSync } from "node:fs";
import { type Config, UsageError } from "../config.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import { keptToken, newToken, readToken, tokenPath, writeToken } from "../kernel/server/token.ts";

export type TokenStore = {
  /** Made when there is none. */
  read(): Promise<string>;
  /** Ends whatever the old one opened, on every server, as soon as each has noticed. */
  rotate(): Promise<string>;
  /** Tells when it is another one than `known`. Returns the way to stop. */
  watch(known: string, changed: (token: string) => void): () => void;
};
type Kept = Pick<Journal, "registry" | "storage">;

const NAME = "token";
const FILE_MS = 500;
const DATABASE_MS = 1_000;

export function tokenStore(
  { home, apiServerKey }: Pick<Config, "home" | "apiServerKey">,
  journal: Kept,
): TokenStore {
  if (apiServerKey) return fixedToken(apiServerKey);
  return journal.storage().backend === "postgres" ? sharedToken(journal) : fileToken(home);
}

function fixedToken(token: string): TokenStore {
  return {
    read: async () => token,
    rotate: async () => {
      throw new UsageError("The token is fixed by API_SERVER_KEY.");
    },
    watch: () => () => undefined,
  };
}

function fileToken(home: string): TokenStore {
  return {
    read: () => readToken(home),
    rotate: () => writeToken(home),
    watch(known, changed) {
      let [seen, stamp] = [known, Number.NaN];
      const timer = setInterval(() => {
        const now = statSync(tokenPath(home), { throwIfNoEntry: false })?.mtimeMs;
        if (now === stamp) return;
        const token = keptToken(home);
        if (token === "") return void readToken(home).catch(() => undefined); // away: seen when it is made
        stamp = now ?? Number.NaN;
        if (token === seen) return;
        seen = token;
        changed(token);
      }, FILE_MS).unref();
      return () => clearInterval(timer);
    },
  };
}

function sharedToken(journal: Kept): TokenStore {
  const read = async () =>
    (await journal.registry.shared(NAME)) ?? (await journal.registry.keepShared(NAME, newToken()));
  return {
    read,
    rotate: () => journal.registry.keepShared(NAME, newToken(), { replace: true }),
    watch(known, changed) {
      let [seen, asking] = [known, false];
      const look = async () => {
        if (asking) return; // the database is away: one question is enough
        asking = true;
        try {
          const token = await read();
          if (token === seen) return;
          seen = token;
          changed(token);
        } catch {
          // It is asked again in a moment; until then the old one holds.
        } finally {
          asking = false;
        }
      };
      const timer = setInterval(() => void look(), DATABASE_MS).unref();
      return () => clearInterval(timer);
    },
  };
}
