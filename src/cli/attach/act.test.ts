// What is typed at the terminal window, and what the server is asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EVERYWHERE } from "../../kernel/text/slash-commands.ts";
import { act, intentOfText, SLASH, type Acting } from "./act.ts";

const VIEW = { session: { open: {} }, runs: {} } as never;

async function typed(text: string) {
  const asked: unknown[] = [];
  const answer = { accepted: true, status: "accepted", safe_message: "ok" };
  const api = new Proxy(
    {},
    {
      get: (_none, name) => (first: unknown, second?: unknown) => {
        asked.push(name, second ?? first);
        return Promise.resolve(answer);
      },
    },
  );
  const acting = {
    api,
    sessionId: "s1",
    view: () => VIEW,
    mode: () => "queue",
    newId: () => "id",
    unanswered: new Map(),
  } as unknown as Acting;
  return { result: await act(intentOfText(VIEW, text), acting), asked };
}

test("[C20a] whatever works as a message works at the terminal window, and is no message while something runs", async () => {
  const others = EVERYWHERE.filter((name) => !Object.hasOwn(SLASH, name));
  assert.ok(others.length > 0);
  for (const message of [
    "/branch",
    "/queue and then this",
    "/steer hurry",
    "/profile other",
    "/compact",
  ]) {
    const { asked, result } = await typed(message);
    const said = { message, message_id: "id", session_id: "s1", source: "attach" };
    assert.deepEqual(asked, ["startRun", said], message);
    assert.ok(result.taken);
  }
  assert.deepEqual((await typed("/branch now")).result, {
    emitted: "/branch takes nothing behind it.",
    taken: false,
  });
  assert.deepEqual(await typed("/deploy"), {
    asked: [],
    result: { emitted: "There is no /deploy. Try /help.", taken: false },
  });
  const { emitted } = (await typed("/help")).result;
  for (const name of EVERYWHERE) assert.ok(emitted.includes(`/${name} `), name);
});

test("[C20, C7] a goal is understood as in the other windows", async () => {
  assert.deepEqual((await typed("/goal set ship it")).asked[1], { action: "set", text: "ship it" });
  assert.deepEqual((await typed("/goal done")).asked[1], { action: "clear" });
  assert.deepEqual((await typed("/goal")).asked[1], { action: "status" });
});
