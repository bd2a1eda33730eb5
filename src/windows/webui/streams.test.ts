// The browser's streams: every cursor rule of the run contract, and the same frames however often, from
// wherever and whenever they are read.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../test/support/until.ts";
import * as page from "../../../test/support/windows/webui.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";

async function serving(heartbeatMs?: number) {
  const store = sqliteStore();
  const journal = await store.connect();
  const beats = heartbeatMs === undefined ? {} : { heartbeatMs };
  const server = await page.serveWebui(journal, store.home, beats);
  return {
    journal,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
type At = Awaited<ReturnType<typeof serving>>;

/** A run that has said something and used a tool, and is not over. */
async function halfway({ server, journal }: At, message = "one") {
  const { stream_id } = await page.startChat(server, "s1", message);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.thought("r1", "Hm."));
  await s.write(journal, claim, d.token("m1", "Look"), d.said("m1", "Look"));
  await s.write(journal, claim, d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1"));
  return { stream_id, claim };
}

async function ended(at: At, message = "one", answer = "Done.") {
  const { stream_id, claim } = await halfway(at, message);
  await s.write(at.journal, claim, d.turnStarted(2), d.token("m2", answer), d.said("m2", answer));
  const seq = (await at.journal.reads.run(stream_id))?.seq ?? 0;
  await s.write(at.journal, claim, d.done(seq + 1, "completed", answer));
  return { stream_id, all: (await page.watchChat(at.server, stream_id)).emitted };
}

test("[W1, W3] live, replayed and resumed at every id: the same frames, ids that only grow", async () => {
  await using at = await serving();
  const { stream_id, claim } = await halfway(at);
  const live = page.watchChat(at.server, stream_id);
  const early = await page.watchChat(at.server, stream_id, { take: 4 });
  await s.write(at.journal, claim, d.turnStarted(2), d.token("m2", "Fine."), d.said("m2", "Fine."));
  await s.end(at.journal, claim);
  const { emitted: shown, ended: closed } = await live;
  assert.ok(closed, "the stream of a run that ended is closed");
  const replayed = await page.watchChat(at.server, stream_id);
  assert.deepEqual(replayed.emitted, shown);
  assert.deepEqual(early.emitted, shown.slice(0, 4));
  for (const [index, { seq, id }] of shown.entries()) {
    assert.ok(seq > (shown[index - 1]?.seq ?? 0));
    const rest = await page.watchChat(at.server, stream_id, { after: id });
    assert.deepEqual(rest.emitted, shown.slice(index + 1), id);
    assert.equal(rest.status, index + 1 === shown.length ? 204 : 200);
  }
});

test("[W1] a run's end has the title that the model gave, in that run and in later ones", async () => {
  await using at = await serving();
  const titleOf = (all: Awaited<ReturnType<typeof ended>>["all"]) => {
    const session = page.eventsNamed(all, "done")[0]?.["session"] as { title: string };
    return session.title;
  };
  const before = await ended(at, "nothing yet");
  const { stream_id, claim } = await halfway(at, "two");
  const title = "A fine new title";
  await s.write(at.journal, claim, { type: "title.updated", payload: { title, source: "model" } });
  await s.end(at.journal, claim);
  const second = await page.watchChat(at.server, stream_id);
  const third = await ended(at, "three");
  assert.deepEqual([titleOf(second.emitted), titleOf(third.all)], [title, title]);
  await at.journal.commands.updateTitle("s1", { title: "By hand" });
  const fourth = await ended(at, "four");
  assert.equal(titleOf(fourth.all), "By hand");
  for (const run of [before, { stream_id, all: second.emitted }, third]) {
    const again = await page.watchChat(at.server, run.stream_id);
    assert.deepEqual(again.emitted, run.all, "a replay ends as the run did");
  }
});

test("[W6] a place is named in three ways, and the furthest one counts", async () => {
  await using at = await serving();
  const { stream_id, all } = await ended(at);
  const [third, fifth] = [all[2], all[4]];
  const from = async (query: string, after?: string) =>
    (await page.watchChat(at.server, stream_id, { query, after })).emitted[0]?.id;
  assert.equal(await from(`&after_seq=${third?.seq}`), all[3]?.id);
  assert.equal(await from(`&after_event_id=${third?.id}`), all[3]?.id);
  assert.equal(await from("", third?.id), all[3]?.id);
  assert.equal(await from(`&after_event_id=${third?.id}`, fifth?.id), all[5]?.id);
  assert.equal(await from(`&after_seq=${third?.seq}`, "nonsense"), all[3]?.id);
});

test("[W6] an unusable place is the start", async () => {
  await using at = await serving();
  const { stream_id, all } = await ended(at);
  const last = all.at(-1)?.seq ?? 0;
  const bad = [
    "x",
    "-1",
    "1.5",
    `other:${all[2]?.seq}`,
    `${stream_id}:${last + 1}`,
    "9".repeat(20),
  ];
  for (const cursor of [...bad, "", "0", `${stream_id}:0`, "12e3", ":4"]) {
    const query = `&after_event_id=${encodeURIComponent(cursor)}`;
    const { emitted, status } = await page.watchChat(at.server, stream_id, { query });
    assert.equal(status, 200);
    assert.deepEqual(emitted, all, cursor);
    const header = await page.watchChat(at.server, stream_id, { after: cursor });
    assert.deepEqual(header.emitted, all, cursor);
  }
  const twice = await page.watchChat(at.server, stream_id, { query: "&after_seq=x&after_seq=4" });
  assert.deepEqual(twice.emitted, all);
});

test("[W6] what is not there is 404, what is not named 400", async () => {
  await using at = await serving();
  for (const [query, status] of [
    ["?stream_id=nobody", 404],
    ["?stream_id=../x", 404],
    ["", 400],
    ["?stream_id=", 400],
  ] as const) {
    const { status: got, body } = await page.ask(at.server, "GET", `/api/chat/stream${query}`);
    assert.deepEqual([got, typeof body["error"]], [status, "string"], query);
  }
});

test("[W6] while nothing happens a comment says that the stream is alive", async () => {
  await using at = await serving(20);
  const { stream_id } = await halfway(at);
  const quiet = await page.watchChat(at.server, stream_id, { comments: 3 });
  assert.equal(quiet.comments, 3);
  assert.ok(
    quiet.emitted.every(({ id }) => id !== ""),
    "only comments have no id",
  );
});

test("[W1] a run's end tells the conversation as it was then, whatever is said or undone later", async () => {
  await using at = await serving();
  const first = await ended(at, "one", "First.");
  const second = await ended(at, "two", "Second.");
  const exchange = (words: string, answer: string) => [
    `user: ${words}`,
    "assistant: Look",
    `assistant: ${answer}`,
  ];
  const both = [...exchange("one", "First."), ...exchange("two", "Second.")];
  assert.deepEqual(page.messagesIn(first.all), exchange("one", "First."));
  assert.deepEqual(page.messagesIn(second.all), both);
  await at.journal.commands.undo("s1", {});
  await at.journal.commands.updateTitle("s1", { title: "Another name" });
  const third = await ended(at, "three", "Third.");
  assert.deepEqual((await page.watchChat(at.server, second.stream_id)).emitted, second.all);
  assert.deepEqual(page.messagesIn(third.all), [
    ...exchange("one", "First."),
    ...exchange("three", "Third."),
  ]);
  const titles = [second, third].map(({ all }) => {
    const session = page.eventsNamed(all, "done")[0]?.["session"] as { title: string };
    return session.title;
  });
  assert.deepEqual(titles, ["one", "Another name"]);
});

test("[W1, C13] a branch's end tells its parent's past up to where it left", async () => {
  await using at = await serving();
  const first = await ended(at, "one", "First.");
  await ended(at, "two", "Second.");
  const branch = await at.journal.commands.branch("s1", {
    run_id: first.stream_id,
    session_id: "b1",
  });
  assert.equal(branch?.status, "accepted");
  const { stream_id } = await page.startChat(at.server, "b1", "else");
  const claim = await s.claimed(at.journal);
  await s.write(at.journal, claim, d.started(), d.turnStarted(1), d.said("m1", "Other."));
  await s.end(at.journal, claim);
  const { emitted } = await page.watchChat(at.server, stream_id);
  assert.deepEqual(page.messagesIn(emitted), [
    "user: one",
    "assistant: Look",
    "assistant: First.",
    "user: else",
    "assistant: Other.",
  ]);
});

test("[W1, C11] what was taken out of the queue, and a person's commands, are no part of what was said", async () => {
  await using at = await serving();
  await ended(at, "one", "First.");
  await at.journal.commands.compress("s1", {});
  const direct = await s.claimed(at.journal);
  await s.write(at.journal, direct, d.started(), d.toolStarted("direct.c0"));
  await s.end(at.journal, direct);
  const { stream_id } = await halfway(at, "two");
  const waiting = await at.journal.commands.queueMessage(stream_id, {
    message: "never",
    mode: "queue",
  });
  await at.journal.commands.cancelRun(waiting?.run_id ?? "", {});
  await at.journal.commands.queueMessage(stream_id, { message: "later", mode: "queue" });
  const open = await s.claimNext(at.journal);
  assert.equal(open, undefined, "the run that goes on stands before it");
  const { emitted } = await page.watchStream(at.server, "/api/chat/session-events?session_id=s1", {
    after: "bad",
    take: 1,
  });
  assert.deepEqual(page.messagesIn(emitted), [
    "user: one",
    "assistant: Look",
    "assistant: First.",
    "user: two",
    "assistant: Look",
  ]);
});

test("[W1] a long conversation is told from its end, and says that it is not all of it", async () => {
  await using at = await serving();
  for (let round = 0; round < 3; round += 1) await ended(at, `${round}`, "x".repeat(120_000));
  const { all } = await ended(at, "last", "The end.");
  const session = page.eventsNamed(all, "done")[0]?.["session"] as {
    messages: unknown[];
    _messages_truncated: boolean;
    message_count?: number;
  };
  assert.equal(session._messages_truncated, true);
  assert.equal(session.message_count, undefined);
  assert.ok(JSON.stringify(session).length < 300_000);
  assert.deepEqual(page.messagesIn(all).at(-1), "assistant: The end.");
});

test("[W6] the session's channel: what is there, then what begins, ends and asks", async () => {
  await using at = await serving(20);
  const { stream_id, claim } = await halfway(at);
  const path = "/api/session/stream?session_id=s1";
  const watching = page.watchStream(at.server, path, {
    until: ({ event, data }) => event === "session-updated" && data["reason"] === "done",
  });
  const opened = await page.watchStream(at.server, path, { take: 2 });
  assert.deepEqual(
    opened.emitted.map(({ event, data }) => [event, data["stream_id"], data["recovered"]]),
    [
      ["initial", undefined, undefined],
      ["server_turn_started", stream_id, true],
    ],
  );
  await s.write(at.journal, claim, {
    type: "process.exited",
    payload: { process_id: "p1", exit_code: 0, signal: null },
  });
  await s.end(at.journal, claim);
  const { emitted } = await watching;
  assert.deepEqual(
    emitted.slice(2).map(({ event }) => event),
    ["bg_task_complete", "session-updated"],
  );
  const after = emitted.at(-2)?.id;
  const rest = await page.watchStream(at.server, path, { after, take: 2 });
  assert.deepEqual(rest.emitted.at(-1), emitted.at(-1), "nothing is lost between two connections");
  const idle = await page.watchStream(at.server, path, { comments: 2 });
  assert.deepEqual(
    idle.emitted.map(({ event }) => event),
    ["initial"],
  );
});

test("[W6] the list of sessions is told to have changed when it has, not when text streams in", async () => {
  await using at = await serving();
  const { stream_id, claim } = await halfway(at);
  const seen: page.Emitted[] = [];
  const watching = page.watchStream(at.server, "/api/sessions/events", {
    until: (emitted) => seen.push(emitted) > 0 && emitted.data["session_id"] === "last",
  });
  await until(async () => {
    await at.journal.commands.createSession({}, s.DEFAULTS);
    return seen.length > 0;
  }, "somebody to listen");
  const changes = () => seen.filter(({ data }) => data["session_id"] === "s1").length;
  await at.journal.commands.updateTitle("s1", { title: "New" });
  await until(() => changes() === 1, "the new title");
  await s.write(at.journal, claim, d.turnStarted(2), d.token("m2", "more "), d.token("m2", "text"));
  await at.journal.commands.createSession({ session_id: "between" }, s.DEFAULTS);
  await until(() => seen.some(({ data }) => data["session_id"] === "between"));
  assert.equal(changes(), 1, "text is no change of the list");
  await at.journal.commands.cancelRun(stream_id, {});
  await until(() => changes() === 2, "the run's status");
  await at.journal.commands.createSession({ session_id: "last", profile: "other" }, s.DEFAULTS);
  const { emitted } = await watching;
  assert.deepEqual(emitted.at(-1)?.data, { session_id: "last", profile: "other" });
  assert.ok(emitted.every(({ event }) => event === "sessions_changed"));
});
