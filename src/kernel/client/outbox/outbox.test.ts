import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  startStreamServer,
  until,
  type Script,
} from "../../../../test/browser/support/stream-server.ts";
import { ApiFailure } from "../api-failure.ts";
import { openOutbox, type OutgoingMessage } from "./outbox.ts";
import type { OutboxStore, StoreEvents } from "./outbox-store.ts";
import { openUploads, type LocalFile, type SendFile } from "./uploads.ts";

const BACKOFF = { minMs: 1, maxMs: 2 };
const accepted: Script = (stream) => stream.outcome("accepted");
const away: Script = (stream) => stream.drop();

const message = (id: string, target: OutgoingMessage["target"] = null): OutgoingMessage => ({
  messageId: id,
  sessionId: "s1",
  text: `text of ${id}`,
  target,
});

function storage(messages: readonly OutgoingMessage[] = []) {
  let saved = messages;
  let news: StoreEvents | undefined;
  const store: OutboxStore = {
    follow(emitted) {
      news = emitted;
      emitted.adopt(messages);
    },
    save: (next) => (saved = next),
  };
  return {
    store,
    load: () => saved,
    saved: () => saved.map(({ messageId }) => messageId),
    removedElsewhere: (messageId: string) => news?.removed(messageId),
  };
}

const noFiles = () => openUploads({ send: async () => Promise.reject(new Error("no files here")) });

test("[X2] a message keeps its id through every retry, and order is kept", async () => {
  const again: Script = (stream) => stream.outcome("duplicate");
  await using server = await startStreamServer([away, away, accepted, again]);
  const disk = storage();
  const outbox = openOutbox({
    api: server.api,
    uploads: noFiles(),
    store: disk.store,
    backoff: BACKOFF,
  });
  outbox.add(message("m1"));
  outbox.add(message("m2"));

  await until(outbox, () => outbox.getState().every(({ status }) => status === "sent"));
  outbox.close();
  await outbox.closed;

  assert.deepEqual(
    server.bodies.map(({ message_id }) => message_id),
    ["m1", "m1", "m1", "m2"],
  );
  assert.deepEqual(disk.saved(), []);
});

test("[X2] what was not answered is sent by the next page with the same id", async () => {
  await using server = await startStreamServer([accepted]);
  const outbox = openOutbox({
    api: server.api,
    uploads: noFiles(),
    store: storage([message("m1")]).store,
    backoff: BACKOFF,
  });

  await until(outbox, () => outbox.getState().every(({ status }) => status === "sent"));
  outbox.close();

  assert.equal(server.bodies[0]?.["message_id"], "m1");
});

test("[C1] a message for a run that has ended starts the next run instead", async () => {
  const tooLate: Script = (stream) => stream.outcome("not_active");
  await using server = await startStreamServer([tooLate, accepted]);
  const outbox = openOutbox({
    api: server.api,
    uploads: noFiles(),
    store: storage().store,
    backoff: BACKOFF,
  });
  outbox.add(message("m1", { runId: "r9", mode: "steer" }));

  await until(outbox, () => outbox.getState()[0]?.status === "sent");
  outbox.close();

  assert.deepEqual(server.requests, ["/api/runs/r9/messages", "/api/runs"]);
});

test("[X2] a refused message stays, says why, and does not hold up the next one", async () => {
  const refused: Script = (stream) => stream.refuse(413, { code: "too_large" });
  await using server = await startStreamServer([refused, accepted]);
  const disk = storage();
  const outbox = openOutbox({
    api: server.api,
    uploads: noFiles(),
    store: disk.store,
    backoff: BACKOFF,
  });
  outbox.add(message("m1"));
  outbox.add(message("m2"));

  await until(outbox, () => outbox.getState()[1]?.status === "sent");
  outbox.close();

  assert.equal(outbox.getState()[0]?.problem, "too_large");
  assert.deepEqual(disk.saved(), ["m1"]);
});

const picture = Object.assign(new Blob(["abc"]), { name: "a.png" }) satisfies LocalFile;
const named = { fileId: "f1", name: "a.png", bytes: 3, media_type: "image/png" };
const stored = { sha256: "5a", bytes: 3, media_type: "image/png", name: "a.png" };
const sentFile = { name: "a.png", media_type: "image/png", bytes: 3, sha256: "5a" };

test("[X2] a message waits for its files, and the next page needs them no more", async () => {
  await using server = await startStreamServer([away, accepted]);
  const arrived = Promise.withResolvers<void>();
  let tries = 0;
  const send: SendFile = async (_file, onPart) => {
    tries += 1;
    if (tries === 1) throw new ApiFailure({ code: "unreachable", status: 0, message: "away" });
    onPart(0.5);
    await arrived.promise;
    return stored;
  };
  const uploads = openUploads({ send, backoff: BACKOFF });
  uploads.add("f1", picture);
  const disk = storage();
  const outbox = openOutbox({ api: server.api, uploads, store: disk.store, backoff: BACKOFF });
  outbox.add({ ...message("m1"), files: [named] });
  const half = { status: "uploading", part: 0.5 };
  await until(uploads, () => isDeepStrictEqual(uploads.state("f1"), half));
  assert.equal(outbox.getState()[0]?.status, "uploading");
  assert.deepEqual(server.requests, [], "nothing is said before its files are there");
  arrived.resolve();
  await until(outbox, () => disk.load()[0]?.files?.[0]?.sha256 === "5a");

  await until(outbox, () => outbox.getState()[0]?.status === "sent");
  outbox.close();
  assert.deepEqual(
    server.bodies.map((body) => body["attachments"]),
    [[sentFile], [sentFile]],
  );
  assert.equal(uploads.state("f1"), undefined, "its bytes are let go");
});

test("[UX] a file that the reloaded page no longer has is named, and the words come back", async () => {
  await using server = await startStreamServer([accepted]);
  const disk = storage([
    { ...message("m1"), files: [named] },
    { ...message("m2"), files: [{ ...named, sha256: "5a" }] },
  ]);
  const outbox = openOutbox({
    api: server.api,
    uploads: noFiles(),
    store: disk.store,
    backoff: BACKOFF,
  });
  await until(outbox, () => outbox.getState()[1]?.status === "sent");
  const [lost] = outbox.getState();
  assert.equal(lost?.status, "refused");
  assert.match(
    lost?.problem ?? "",
    /“a\.png” was not uploaded before the page was reloaded or closed/,
  );
  assert.deepEqual(server.bodies[0]?.["attachments"], [sentFile]);
  assert.equal(outbox.takeBack("m2"), undefined, "what was sent cannot come back");
  assert.equal(outbox.takeBack("m1")?.text, "text of m1");
  assert.deepEqual(disk.saved(), []);
  outbox.close();
});

test("[UX] a refused file refuses its message; one that is taken back holds up nobody", async () => {
  await using server = await startStreamServer([accepted]);
  const send: SendFile = async (file, _onPart, signal) => {
    if (file === picture) throw new ApiFailure({ code: "too_large", status: 413, message: "big" });
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  };
  const uploads = openUploads({ send, backoff: BACKOFF });
  uploads.add("f1", picture);
  uploads.add("f2", Object.assign(new Blob(["x"]), { name: "slow" }));
  const outbox = openOutbox({ api: server.api, uploads, store: storage().store, backoff: BACKOFF });
  outbox.add({ ...message("m1"), files: [named] });
  outbox.add({ ...message("m2"), files: [{ ...named, fileId: "f2" }] });
  outbox.add(message("m3"));
  await until(outbox, () => outbox.getState()[1]?.status === "uploading");
  assert.equal(outbox.getState()[0]?.problem, "“a.png” could not be uploaded: big");
  outbox.discard("m1");
  assert.equal(uploads.state("f1"), undefined, "a discarded message lets its files go");
  assert.equal(outbox.takeBack("m2")?.text, "text of m2");
  assert.equal(uploads.state("f2")?.status, "uploading", "they go on for whoever writes it anew");
  await until(outbox, () => outbox.getState().at(-1)?.status === "sent");
  outbox.close();
  assert.deepEqual(
    server.bodies.map(({ message_id }) => message_id),
    ["m3"],
  );
});

test("[UX] another session does not wait for a long upload; its own does, in order", async () => {
  await using server = await startStreamServer([accepted]);
  const arrived = Promise.withResolvers<typeof stored>();
  const uploads = openUploads({ send: async () => arrived.promise, backoff: BACKOFF });
  uploads.add("f1", picture);
  const outbox = openOutbox({ api: server.api, uploads, store: storage().store, backoff: BACKOFF });
  const is = (id: string) => outbox.getState().find(({ messageId }) => messageId === id)?.status;
  outbox.add({ ...message("m1"), files: [named] });
  outbox.add(message("m2"));
  outbox.add({ ...message("m3"), sessionId: "s2" });
  await until(outbox, () => is("m3") === "sent");
  assert.deepEqual([is("m1"), is("m2")], ["uploading", "waiting"]);
  arrived.resolve(stored);
  await until(outbox, () => is("m2") === "sent");
  await turn(); // nothing is left to do there
  outbox.add(message("m4"));
  await until(outbox, () => is("m4") === "sent");
  outbox.close();
  await outbox.closed;
  assert.deepEqual(
    server.bodies.map(({ message_id }) => message_id),
    ["m3", "m1", "m2", "m4"],
  );
});

test("[X2] what another page has sent or taken back is neither sent again nor shown as unsent", async () => {
  await using server = await startStreamServer([away, accepted]);
  const disk = storage([message("m1"), { ...message("m2"), files: [named] }]);
  const hour = { minMs: 3_600_000, maxMs: 3_600_000 };
  const options = { api: server.api, uploads: noFiles(), store: disk.store };
  const outbox = openOutbox({ ...options, backoff: hour });
  await until(outbox, () => outbox.getState()[0]?.problem !== null);
  disk.removedElsewhere("m1");
  assert.deepEqual(disk.saved(), ["m2"]);
  outbox.retryNow();
  await until(outbox, () => outbox.getState()[0]?.status === "refused");
  disk.removedElsewhere("m2");
  assert.deepEqual(outbox.getState(), []);
  outbox.close();
  await outbox.closed;
  assert.equal(server.requests.length, 1);
});
