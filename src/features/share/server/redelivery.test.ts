// A recording that was imported is told again: of the lines that were kept, whatever is written in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { prepareShare } from "./export.ts";
import { sourceOfSession } from "./source.ts";
import { shareServer, emitted } from "./test-support.ts";

type Server = Awaited<ReturnType<typeof shareServer>>;

const full = async (server: Server, sessionId: string) =>
  (await server.get(`/api/sessions/${sessionId}/export?format=json&policy=full`)).body;

/** The id of a session that was imported of what s1 was. */
async function imported(server: Server, message: string, contents: readonly string[] = []) {
  const attachments = [];
  for (const content of contents) {
    const blob = server.journal.blobs.create();
    await blob.write(Buffer.from(content));
    attachments.push({ name: "x", media_type: "text/plain", ...(await blob.finish()) });
  }
  await server.journal.commands.startRun({ message, session_id: "s1", attachments }, s.DEFAULTS);
  const file = await full(server, "s1");
  const { data } = JSON.parse((await server.send(file)).body) as { data: Outcome };
  return { file, here: data.session_id ?? "" };
}

test("[Y6] what breaks a line elsewhere breaks none of a recording", async () => {
  await using server = await shareServer({ filled: false });
  const { file, here } = await imported(server, "one\u2028two\u2029three\u0085four\rfive");
  assert.deepEqual(emitted(await full(server, here)).lines, emitted(file).lines);
});

test("[Y6] contents of a recording, short and long, come along when it is told again", async () => {
  await using server = await shareServer({ filled: false });
  const { file, here } = await imported(server, "go", ["short", "long".repeat(500_000)]);
  assert.equal(emitted(file).manifest.contents, 2);
  assert.deepEqual(emitted(await full(server, here)).lines, emitted(file).lines);
});

test("[Y6, B4] a recording is not read anew for each of its contents", async () => {
  await using server = await shareServer({ filled: false });
  const contents = Array.from({ length: 50 }, (_, at) => `content ${at}`);
  const { file, here } = await imported(server, "go", contents);
  const { journal } = server;
  let whole = 0;
  const read: typeof journal.blobs.read = (sha256, range) => {
    if (!range) whole += 1;
    return journal.blobs.read(sha256, range);
  };
  const session = await journal.reads.session(here);
  assert.ok(session);
  const source = await sourceOfSession({ ...journal, blobs: { ...journal.blobs, read } }, session);
  const request = { policy: "full", without: [], by: "me", at: 1 } as const;
  const { lines } = await prepareShare(source, undefined, request);
  const [, ...rest] = await Array.fromAsync(lines());
  assert.deepEqual(rest, emitted(file).lines);
  assert.equal(whole, 3, "to look at its events, to find its contents, and to tell it");
});
