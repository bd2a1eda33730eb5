// What was found, and who is a newcomer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionId, ClientKey } from "../../kernel/events/ids.ts";
import { emptyRun } from "../../kernel/state/run/state.ts";
import { DEMO_MESSAGE, firstRunOf, isTour, isWelcomed } from "./demo-session.ts";
import { idleKeys, providersIn } from "./found.ts";

const listed = (provider: string, id: string, found: string) => ({
  provider,
  id,
  contextWindow: null,
  priced: false,
  found,
});

test("[UX] what was found is one entry per provider, real ones first", () => {
  const models = [
    listed("demo", "demo", "built in"),
    listed("ollama", "a", "running at http://127.0.0.1:11434"),
    listed("ollama", "b", "running at http://127.0.0.1:11434"),
    listed("constructor", "x", "set as the model"),
    listed("openai", "gpt", "OPENAI_API_KEY is set"),
  ];
  const found = providersIn(models);
  assert.deepEqual(
    found.map(({ label, ids }) => [label, ids]),
    [
      ["Ollama", ["a", "b"]],
      ["constructor", ["x"]],
      ["OpenAI", ["gpt"]],
      ["Demo model (scripted)", ["demo"]],
    ],
  );
  assert.equal(found[0]?.how, "running at http://127.0.0.1:11434");
  const keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"].map((name) => ({ name, detail: "" }));
  assert.deepEqual(idleKeys(keys, models), ["ANTHROPIC_API_KEY"]);
});

test("[UX] a newcomer’s demo has one id per installation, whoever begins it", () => {
  const command = firstRunOf("e7aa45386b203", true);
  assert.deepEqual(command, firstRunOf("e7aa45386b203", true));
  assert.notEqual(command.session_id, firstRunOf("other", true).session_id);
  assert.ok(SessionId.safeParse(command.session_id).success);
  assert.ok(ClientKey.safeParse(command.message_id).success);
  assert.equal("model" in command, false);
  assert.equal(firstRunOf("e", false).model, "demo/tour");
});

test("[UX] who has been welcomed to this installation is not welcomed again", () => {
  assert.equal(isWelcomed(null, "e1"), false);
  assert.equal(isWelcomed(null, undefined), false);
  assert.equal(isWelcomed("e1", "e1"), true);
  assert.equal(isWelcomed("e1", "e2"), false);
  assert.equal(isWelcomed("yes", undefined), true);
});

test("[UX] only the tour ends with the card", () => {
  const run = { ...emptyRun("r"), model: "demo/demo" };
  assert.equal(isTour(run, DEMO_MESSAGE), true);
  assert.equal(isTour(run, "say Hello."), false);
  assert.equal(isTour({ ...run, model: "openai/x" }, DEMO_MESSAGE), false);
  assert.equal(isTour({ ...run, parentRunId: "p" }, DEMO_MESSAGE), false);
});
