// The process behind peer.ts: opens a journal and executes requests.
import type { Journal } from "../../src/kernel/journal/journal.ts";
import { openPostgres } from "../../src/kernel/journal/postgres/postgres.ts";
import { openSqlite } from "../../src/kernel/journal/sqlite/sqlite.ts";
import type { PeerCall, PeerPlace, PeerReply } from "./peer.ts";
import { FEATURES } from "../../src/features/journal-features.ts";

let journal: Journal | undefined;

const reply = (message: PeerReply) => void process.send?.(message);

function opened(place: PeerPlace): Promise<Journal> {
  return "url" in place
    ? openPostgres({ ...place, features: FEATURES })
    : openSqlite({ ...place, features: FEATURES });
}

type Call = (...args: readonly unknown[]) => unknown;

async function perform({ method, args }: PeerCall): Promise<unknown> {
  if (method === "open") {
    journal = await opened(args[0] as PeerPlace);
    journal.watch((wake) => reply({ kind: "wake", wake }));
    return journal.epoch;
  }
  if (method === "close") return journal?.[Symbol.asyncDispose]();
  if (method === "store") {
    const [module, make, name, rest] = args as [string, string, string, unknown[]];
    const { [make]: store } = (await import(module)) as Record<string, Call>;
    return (store?.(journal) as Record<string, Call> | undefined)?.[name]?.(...rest);
  }
  const [name = "", part] = method.split(".").toReversed();
  const owner = part === undefined ? journal : journal?.[part as "reads"];
  return (owner as unknown as Record<string, Call>)[name]?.(...args);
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
