// Whoever names a run or a session means that one, whatever happened since they looked.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import { INFO } from "../../../test/support/app-deps.ts";
import { openConsole } from "./test-support.ts";

type Row = Record<string, unknown>;
const LISTED = [
  { provider: "demo", id: "demo", contextWindow: null, priced: true, found: "built in" },
  { provider: "openai", id: "gpt-5.4", contextWindow: null, priced: true, found: "a key" },
];

test("[C4, C12, W6] a run that is not of the session that is named is neither stopped, retried nor undone", async () => {
  await using console_ = await openConsole();
  const { post, journal } = console_;
  const run_id = await s.start(journal);
  await s.start(journal, { session_id: "s2" });
  for (const path of ["/chat/stop", "/chat/retry", "/chat/undo"]) {
    const refused = await post(path, { session_id: "s2", run_id });
    assert.deepEqual(
      [refused.http, refused.error.code, refused.error["reason"]],
      [404, "not_found", "run_not_found"],
      path,
    );
    assert.deepEqual([refused.error["run_id"], refused.error["session_id"]], [run_id, "s2"]);
  }
  assert.equal((await journal.reads.run(run_id))?.status, "queued");
  assert.equal((await post("/chat/stop", { session_id: "s1", run_id })).http, 200);
});

test("[C12, W6] a run that two windows undo at once is undone, and nothing before it", async () => {
  await using console_ = await openConsole();
  const { post, journal } = console_;
  const [, newest] = [await s.exchange(journal, "a"), await s.exchange(journal, "b")];
  const runsOf = journal.reads.runsOf.bind(journal.reads);
  const slow: typeof runsOf = async (sessionId) => {
    const runs = await runsOf(sessionId);
    await journal.commands.undo("s1", { run_id: newest }); // the other window, after this one has looked
    return runs;
  };
  Object.assign(journal.reads, { runsOf: slow });
  const late = await post("/chat/undo", { run_id: newest });
  assert.deepEqual([late.data["status"], late.data["undone"]], ["unavailable", false]);
  const gone = (await runsOf("s1")).filter(({ rewound_at }) => rewound_at !== null);
  assert.deepEqual(
    gone.map(({ run_id }) => run_id),
    [newest],
  );
});

test("[C4d, J6, W6] a stop of a session that is sent again stops nothing that came after it", async () => {
  await using console_ = await openConsole();
  const { post, journal } = console_;
  const first = await s.start(journal);
  const next = await s.start(journal);
  const stop = () => post("/chat/stop", { session_id: "s1", command_id: "k1" });
  const stopped = await stop();
  assert.deepEqual([stopped.data["run_id"], stopped.data["stop_requested"]], [first, true]);
  assert.deepEqual((await stop()).data, stopped.data);
  assert.equal((await journal.reads.run(next))?.status, "queued");
});

test("[W6] a bare model is found by its provider or among those that can be chosen; others are refused", async () => {
  await using console_ = await openConsole({ info: { ...INFO, models: async () => LISTED } });
  const { post, get, journal } = console_;
  const modelOf = async (body: object) => {
    const { data, error } = await post("/chat/send", { message: "hi", ...body });
    return error?.code ?? (await journal.reads.run(String(data["run_id"])))?.model;
  };
  assert.equal(await modelOf({ session_id: "s1", model: "gpt-5.4" }), "openai/gpt-5.4");
  assert.equal(await modelOf({ model: "gpt-5.4", provider: "openai" }), "openai/gpt-5.4");
  assert.equal(await modelOf({ model: "openai/gpt-next" }), "openai/gpt-next", "not listed");
  assert.equal(await modelOf({ model: "demo" }), "demo/demo", "the one of new sessions");
  assert.equal(await modelOf({ model: "hermes-agent" }), "demo/demo");
  for (const model of ["nosuch", "nosuch/model", "gpt", "constructor"]) {
    assert.equal(await modelOf({ model }), "invalid_model", model);
  }
  assert.equal(await modelOf({ model: "gpt-5.4", provider: "nosuch" }), "invalid_model");

  const { sessions } = (await get("/sessions?model=gpt-5.4")).data as { sessions: Row[] };
  const named = sessions.map(({ model, provider }) => [model, provider]);
  assert.deepEqual(named, [
    ["gpt-5.4", "openai"],
    ["gpt-5.4", "openai"],
  ]);
  assert.equal((await get("/sessions?model=openai/gpt-5.4")).data["total"], 2);
  assert.equal((await get("/sessions?model=openai")).data["total"], 0);
});

test("[W6] a message behind another run is started, too, and says that it waits", async () => {
  await using console_ = await openConsole();
  const send = async (session_id: string) =>
    (await console_.post("/chat/send", { session_id, message: "hi" })).data;
  const said = [await send("s1"), await send("s1"), await send("s2")];
  assert.deepEqual(
    said.map(({ status, queued }) => [status, queued]),
    [
      ["started", false],
      ["started", true],
      ["started", false],
    ],
  );
});
