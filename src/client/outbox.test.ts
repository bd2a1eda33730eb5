import assert from "node:assert/strict";
import { test } from "node:test";
import { startStreamServer, until, type Script } from "../../test/browser/support/stream-server.ts";
import { openOutbox, type OutgoingMessage } from "./outbox.ts";

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
  return {
    load: () => saved,
    save: (next: readonly OutgoingMessage[]) => (saved = next),
    saved: () => saved.map(({ messageId }) => messageId),
  };
}

test("[X2] a message keeps its id through every retry, and order is kept", async () => {
  const again: Script = (stream) => stream.outcome("duplicate");
  await using server = await startStreamServer([away, away, accepted, again]);
  const disk = storage();
  const outbox = openOutbox({ api: server.api, ...disk, backoff: BACKOFF });
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
  const outbox = openOutbox({ api: server.api, ...storage([message("m1")]), backoff: BACKOFF });

  await until(outbox, () => outbox.getState().every(({ status }) => status === "sent"));
  outbox.close();

  assert.equal(server.bodies[0]?.["message_id"], "m1");
});

test("[C1] a message for a run that has ended starts the next run instead", async () => {
  const tooLate: Script = (stream) => stream.outcome("not_active");
  await using server = await startStreamServer([tooLate, accepted]);
  const outbox = openOutbox({ api: server.api, ...storage(), backoff: BACKOFF });
  outbox.add(message("m1", { runId: "r9", mode: "steer" }));

  await until(outbox, () => outbox.getState()[0]?.status === "sent");
  outbox.close();

  assert.deepEqual(server.requests, ["/api/runs/r9/messages", "/api/runs"]);
});

test("[X2] a refused message stays, says why, and does not hold up the next one", async () => {
  const refused: Script = (stream) => stream.refuse(413, { code: "too_large" });
  await using server = await startStreamServer([refused, accepted]);
  const disk = storage();
  const outbox = openOutbox({ api: server.api, ...disk, backoff: BACKOFF });
  outbox.add(message("m1"));
  outbox.add(message("m2"));

  await until(outbox, () => outbox.getState()[1]?.status === "sent");
  outbox.close();

  assert.equal(outbox.getState()[0]?.problem, "too_large");
  assert.deepEqual(disk.saved(), ["m1"]);
});
