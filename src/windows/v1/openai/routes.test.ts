// The OpenAI-compatible routes with a runner that the test plays: the moments that real runs pass too
// quickly to be caught.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Claim, Journal } from "../../../kernel/journal/journal.ts";
import { V1_OPENAI_ROUTES } from "../wire/routes.ts";
import { openV1, type Reply } from "../test-support.ts";

const LIMIT = { timeout: 30_000 }; // a request that is not refused would wait for a run

const background = { background: true };
const idOf = ({ body }: Reply) => body["id"] as string;
const runOf = (reply: Reply) => idOf(reply).slice("resp_".length);
const own = ({ body }: Reply) =>
  body["quarterdeck"] as { session_id: string; pending: { request_id: string }[] };

async function claimedOf(journal: Journal, runId: string): Promise<Claim> {
  const claim = await s.claimed(journal);
  assert.equal(claim.runId, runId);
  return claim;
}

const done = d.done(99);

test("[W6] the list of routes is what is served", LIMIT, async () => {
  await using v1 = await openV1();
  for (const { method, path } of V1_OPENAI_ROUTES) {
    const asked = path.replaceAll(/\{\w+\}/g, "nobody");
    const body = method === "POST" ? {} : undefined;
    const reply = await v1.ask(asked, { method: method as "GET", body });
    assert.notEqual(reply.error?.code, "unknown_url", `${method} ${path}`);
  }
  const printed = v1.routes().filter((route) => /\/v1\/(models|chat|responses)/.test(route));
  const listed = V1_OPENAI_ROUTES.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(printed.toSorted(), listed.toSorted());
});

test(
  "[W4] who waits for the end is told of what waits, the moment it does; answered, it goes on",
  LIMIT,
  async () => {
    await using v1 = await openV1();
    const { journal } = v1;
    const waiting = v1.ask("/v1/responses", { body: { input: "go", conversation: "c1" } });
    const claim = await until(() => s.claimNext(journal), "the run");
    await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
    const parked = await waiting;
    assert.equal(parked.body["status"], "in_progress");
    assert.deepEqual(
      own(parked).pending.map(({ request_id }) => request_id),
      ["ap_c1"],
    );

    const item = { type: "mcp_approval_response", approval_request_id: "ap_c1", approve: true };
    const going = v1.ask("/v1/responses", { body: { input: [item], conversation: "c1" } });
    await until(async () => (await journal.reads.pending({})).length === 0, "the answer");
    await s.write(journal, claim, d.toolStarted("c1"), d.toolDone("c1"), d.said("m1", "ok"), done);
    const ended = await going;
    assert.equal(ended.body["status"], "completed");
    assert.equal(idOf(ended), idOf(parked));
  },
);

test(
  "[W4] an answer together with new words: the answer first, then a run of its own",
  LIMIT,
  async () => {
    await using v1 = await openV1();
    const { journal } = v1;
    const first = await v1.ask("/v1/responses", { body: { input: "go", ...background } });
    const claim = await claimedOf(journal, runOf(first));
    await s.write(journal, claim, d.started(), d.clarifyAsked("cl_1", null));
    const input = [
      { type: "function_call_output", call_id: "cl_1", output: "left" },
      { role: "user", content: "and then?" },
    ];
    const body = { input, previous_response_id: idOf(first), ...background };
    const next = await v1.ask("/v1/responses", { body });
    assert.notEqual(idOf(next), idOf(first));
    assert.equal(own(next).session_id, own(first).session_id);
    assert.deepEqual(await journal.reads.pending({}), []);
    assert.equal((await journal.reads.run(runOf(next)))?.prompt, "and then?");
    const empty = [{ type: "function_call_output", call_id: "cl_1", output: "" }];
    const refused = await v1.ask("/v1/responses", { body: { ...body, input: empty } });
    assert.equal(refused.status, 400);
  },
);

test("[W4] a run behind one that waits tells what it waits for", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const first = await v1.ask("/v1/responses", {
    body: { input: "go", conversation: "c1", ...background },
  });
  const claim = await claimedOf(journal, runOf(first));
  await s.write(journal, claim, d.started(), d.clarifyAsked("cl_1", null));
  const behind = await v1.ask("/v1/responses", { body: { input: "next", conversation: "c1" } });
  assert.equal(behind.body["status"], "queued");
  assert.equal(own(behind).pending[0]?.request_id, "cl_1");
});

test("[W3] a stream begins where its reader says, by query or by header", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const started = await v1.ask("/v1/responses", { body: { input: "go", ...background } });
  const claim = await claimedOf(journal, runOf(started));
  await s.write(journal, claim, d.started(), d.token("m1", "hi"), d.said("m1", "hi"), done);
  const numbers = async (query: string, headers = {}) => {
    const text = await v1.read(`/v1/responses/${idOf(started)}${query}`, headers);
    return [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
  };
  const all = await numbers("?stream=true");
  assert.deepEqual(all, [...all.keys()]);
  assert.deepEqual(await numbers("?stream=true&starting_after=2"), all.slice(3));
  assert.deepEqual(await numbers("?stream=true", { "last-event-id": "2" }), all.slice(3));
  assert.deepEqual(await numbers("", { accept: "text/event-stream" }), all);
  for (const query of ["starting_after=-1", "starting_after=x", `starting_after=${all.length}`]) {
    const refused = await v1.ask(`/v1/responses/${idOf(started)}?stream=true&${query}`);
    assert.deepEqual([refused.status, refused.error.param], [400, "starting_after"], query);
  }
  assert.equal((await v1.ask(`/v1/responses/${idOf(started)}?stream=maybe`)).status, 400);
});

test(
  "[W3] readers at different places of one live response each get what they lack, once",
  LIMIT,
  async () => {
    await using v1 = await openV1();
    const { journal } = v1;
    const started = await v1.ask("/v1/responses", { body: { input: "go", ...background } });
    const claim = await claimedOf(journal, runOf(started));
    await s.write(journal, claim, d.started(), d.token("m1", "a"));
    const from = (after: number) =>
      v1.read(`/v1/responses/${idOf(started)}?stream=true&starting_after=${after}`, {});
    const readers = [4, 0, 2].map(from);
    await until(() => v1.streams() === readers.length, "the readers");
    await s.write(journal, claim, d.token("m1", "b"), d.said("m1", "ab"));
    const late = from(3);
    await until(() => v1.streams() === readers.length + 1, "another one");
    await s.write(journal, claim, done);
    const texts = await Promise.all([...readers, late]);
    const seen = texts.map((text) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, n]) => Number(n)));
    const last = seen[0]?.at(-1) ?? 0;
    const after = (first: number) =>
      Array.from({ length: last - first }, (_, at) => first + 1 + at);
    assert.deepEqual(seen, [after(4), after(0), after(2), after(3)]);
  },
);

test("[W6] what a run was told, page by page", LIMIT, async () => {
  await using v1 = await openV1();
  const input = [
    { role: "user", content: "a" },
    { role: "assistant", content: [{ type: "output_text", text: "b" }] },
    { role: "user", content: "c" },
  ];
  const started = await v1.ask("/v1/responses", { body: { input, ...background } });
  const path = `/v1/responses/${idOf(started)}/input_items`;
  const page = async (query: string) => {
    const { body } = await v1.ask(`${path}${query}`);
    const data = body["data"] as { id: string; role: string; content: { text: string }[] }[];
    return { body, texts: data.map(({ role, content }) => `${role} ${content[0]?.text}`) };
  };
  const first = await page("?limit=2");
  assert.deepEqual(first.texts, ["user c", "assistant b"]);
  assert.equal(first.body["has_more"], true);
  const rest = await page(`?limit=2&after=${String(first.body["last_id"])}`);
  assert.deepEqual([rest.texts, rest.body["has_more"]], [["user a"], false]);
  assert.deepEqual((await page("?order=asc")).texts, ["user a", "assistant b", "user c"]);
  for (const query of ["?limit=0", "?limit=x", "?order=up", "?after=nobody"]) {
    assert.equal((await v1.ask(`${path}${query}`)).status, 400, query);
  }
});

test("[W7] subagents' runs and deleted conversations are no responses", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const started = await v1.ask("/v1/responses", { body: { input: "go", ...background } });
  const claim = await claimedOf(journal, runOf(started));
  const child = `${claim.runId}.c1`;
  await journal.startChild({ runId: child, parent: claim, message: "below" });
  assert.equal((await v1.ask(`/v1/responses/resp_${child}`)).status, 404);
  await s.write(journal, claim, d.started(), done);

  const next = { input: "next", previous_response_id: idOf(started), ...background };
  await v1.ask("/v1/responses", { body: next });
  const branch = await v1.ask("/v1/responses", { body: next });
  assert.notEqual(own(branch).session_id, own(started).session_id);
  const gone = await v1.ask(`/v1/responses/${idOf(branch)}`, { method: "DELETE" });
  assert.deepEqual(gone.body, { id: idOf(branch), object: "response.deleted", deleted: true });
  assert.equal((await v1.ask(`/v1/responses/${idOf(branch)}`)).status, 404);
  assert.equal((await v1.ask(`/v1/responses/${idOf(started)}`)).status, 200);
  const after = { ...next, previous_response_id: idOf(branch) };
  assert.equal(
    (await v1.ask("/v1/responses", { body: after })).error.code,
    "previous_response_not_found",
  );
});

test(
  "[C20, W4] what follows the answer to a command is said in the same session",
  LIMIT,
  async () => {
    await using v1 = await openV1();
    const { journal } = v1;
    const ask = (input: string, after: Awaited<ReturnType<typeof v1.ask>>) =>
      v1.ask("/v1/responses", {
        body: { input, previous_response_id: idOf(after), ...background },
      });
    const first = await v1.ask("/v1/responses", { body: { input: "go", ...background } });
    const claim = await claimedOf(journal, runOf(first));
    await s.write(journal, claim, d.started(), d.said("m1", "hi"), done);
    const renamed = await ask("/title Another", first);
    assert.equal(renamed.body["status"], "completed");
    const next = await ask("and now?", renamed);
    assert.equal(own(next).session_id, own(first).session_id);
    const other = await ask("or this?", renamed);
    assert.notEqual(own(other).session_id, own(first).session_id, "somebody was faster: a branch");
  },
);

test("[C3c] a session with too much waiting says so, and takes nothing", LIMIT, async () => {
  await using v1 = await openV1();
  const body = { input: "go", conversation: "c1", ...background };
  let last = await v1.ask("/v1/responses", { body });
  for (let count = 0; last.status === 200 && count < 300; count += 1) {
    last = await v1.ask("/v1/responses", { body });
  }
  assert.deepEqual([last.status, last.error.code], [429, "queue_full"]);
});
