// The other end of peer.ts: opens a journal and does what it is told.
import type { Journal } from "../../src/kernel/journal/journal.ts";
import { openPostgres } from "../../src/kernel/journal/postgres/postgres.ts";
import { openSqlite } from "../../src/kernel/journal/sqlite/sqlite.ts";
import type { PeerCall, PeerPlace, PeerReply } from "./peer.ts";

let journal: Journal | undefined;

const reply = (message: PeerReply) => void process.send?.(message);

function opened(place: PeerPlace): Promise<Journal> {
  return "url" in place ? openPostgres(place) : openSqlite(place);
}

type Call = (...args: readonly unknown[]) => unknown;
const open = new Map<number, { tx: Record<string, Call>; end: PromiseWithResolvers<void> }>();

async function perform({ id, method, args }: PeerCall): Promise<unknown> {
  if (method === "open") {
    journal = await opened(args[0] as PeerPlace);
    journal.watch((wake) => reply({ kind: "wake", wake }));
    return journal.epoch;
  }
  if (method === "close") return journal?.[Symbol.asyncDispose]();
  const [part = "", name = ""] = method.split(".");
  if (method === "transact") {
    return journal?.database.transact(args[0] as string | null, async (tx) => {
      const end = Promise.withResolvers<void>();
      open.set(id, { tx: tx as unknown as Record<string, Call>, end });
      reply({ kind: "tx", id, now: tx.now });
      await end.promise;
    });
  }
  if (part === "sql") {
    const sql = journal?.database.sql as unknown as Record<string, Call> | undefined;
    return sql?.[name]?.(...args);
  }
  if (part === "tx") {
    const [of, ...rest] = args as [number, ...unknown[]];
    const { tx, end } = open.get(of) ?? {};
    if (name !== "end") return tx?.[name]?.(...rest);
    open.delete(of);
    return rest.length > 0 ? end?.reject(new Error(String(rest[0]))) : end?.resolve();
  }
  const known = journal as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  return known[method]?.(...args);
}

process.on("message", (call: PeerCall) => {
  perform(call).then(
    (value) => reply({ kind: "result", id: call.id, value }),
    (error: Error & { code?: string }) => {
      const { name, message, code } = error;
      reply({ kind: "failure", id: call.id, name, message, code });
    },
  );
});
process.on("disconnect", () => process.exit());
