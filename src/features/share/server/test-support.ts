// A server over everything that was ever recorded, asked without a network.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appDeps, TOKEN } from "../../../../test/support/app-deps.ts";
import { fillFromRecordings } from "../../../../test/support/recordings/recorded-home.ts";
import { createRedactor } from "../../../kernel/redact/redact.ts";
import { openSqlite } from "../../../kernel/journal/sqlite/sqlite.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import type { RecordingManifest } from "../../../kernel/events/recording-file.ts";
import { createApp } from "../../../cli/create-app.ts";
import type { ShareNote } from "./share-note.ts";
import { FEATURES } from "../../journal-features.ts";

export const HEADERS = { authorization: `Bearer ${TOKEN}`, host: "localhost:80" };

export type Secret = { readonly name: string; readonly value: string };

export async function shareServer({ secrets = [] as readonly Secret[], filled = true } = {}) {
  const home = mkdtempSync(join(tmpdir(), "qd-share-"));
  if (filled) await fillFromRecordings(home);
  const journal = await openSqlite({ features: FEATURES, home, redactor: createRedactor(secrets) });
  const webRoot = join(home, "web");
  mkdirSync(join(webRoot, "viewer"), { recursive: true });
  writeFileSync(join(webRoot, "viewer/viewer.js"), 'const a = "</script><!--";');
  writeFileSync(join(webRoot, "viewer/viewer.css"), "body { margin: 0 }");
  const notes: ShareNote[] = [];
  const noteExport = async (note: ShareNote) => void notes.push(note);
  const app = await createApp(appDeps(journal, { webRoot, noteExport }));
  const get = (url: string) => app.inject({ method: "GET", url, headers: HEADERS });
  const send = (file: Buffer | string, query = "", headers: Record<string, string> = {}) =>
    app.inject({
      method: "POST",
      url: `/api/import${query}`,
      headers: { ...HEADERS, "content-type": "application/octet-stream", ...headers },
      payload: file,
    });
  return {
    app,
    journal,
    home,
    notes,
    get,
    send,
    sessions: async () => (await journal.reads.sessions({ limit: 200, offset: 0 })).toReversed(),
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await journal[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export type Emitted = {
  readonly manifest: RecordingManifest;
  readonly lines: readonly string[];
  readonly events: readonly (RunEvent & { redacted?: true })[];
};

export function emitted(text: string): Emitted {
  const [first = "", ...lines] = text.split("\n").filter((line) => line !== "");
  const events = lines.filter((line) => line.startsWith('{"event_id"'));
  return {
    manifest: JSON.parse(first) as RecordingManifest,
    lines,
    events: events.map((line) => JSON.parse(line) as RunEvent),
  };
}
