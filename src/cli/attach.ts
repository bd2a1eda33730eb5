// `attach [SESSION]`: a terminal window on a session of the server that runs on this home.
import { randomUUID } from "node:crypto";
import { createApi } from "../kernel/client/api.ts";
import { UsageError, type Parsed } from "../config.ts";
import { onVolume } from "../kernel/events/workspace-place.ts";
import { openJournal } from "./open-journal.ts";
import { readStatus } from "./status.ts";
import { trustOwnServer } from "./tls-files.ts";
import { tokenStore } from "./token-store.ts";

export const flags = { new: { type: "boolean" } } as const;

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UsageError('attach needs a terminal. In a pipe use "run", or "terminal".');
  }
  trustOwnServer(config);
  const { url, token, sessionId } = await chosen(config, positionals[0], values["new"] === true);
  const api = createApi({ base: url, credentials: { kind: "bearer", token } });
  // Loaded now: nothing else needs a terminal's library.
  const [{ ProcessTerminal }, { attach }] = await Promise.all([
    import("@earendil-works/pi-tui"),
    import("./attach/attach.ts"),
  ]);
  await attach({ api, sessionId, terminal: new ProcessTerminal(), newId: randomUUID });
  process.stdout.write(`\nLeft; what runs goes on. Back with: quarterdeck attach ${sessionId}\n`);
  return 0;
}

/** The named session, a new one, or the one that was used last. The journal is closed again at once. */
async function chosen(config: Parsed["config"], named: string | undefined, fresh: boolean) {
  await using journal = await openJournal(config);
  const { url } = await readStatus(journal);
  if (url === null) {
    throw new UsageError('Nothing is serving on this home. Start it with "quarterdeck up".', 3);
  }
  const token = await tokenStore(config, journal).read();
  if (named !== undefined) {
    if (await journal.reads.session(named)) return { url, token, sessionId: named };
    throw new UsageError(`There is no session ${named}. "attach --new" opens one.`);
  }
  const [newest] = fresh ? [] : await journal.reads.sessions({ limit: 1, offset: 0 });
  if (newest) return { url, token, sessionId: newest.session_id };
  const defaults = {
    model: config.model,
    workspace: onVolume(config.workspace, config.volumes),
    profile: config.profile,
  };
  const { session_id } = await journal.commands.createSession({ source: "attach" }, defaults);
  if (session_id === null) throw new UsageError("No session could be opened.");
  return { url, token, sessionId: session_id };
}
