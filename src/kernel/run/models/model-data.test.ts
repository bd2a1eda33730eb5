import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import builtIn from "./model-data.json" with { type: "json" };
import { readModelData } from "./model-data.ts";

function withFile(content: string, use: (path: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), "models-"));
  try {
    const path = join(directory, "models.json");
    writeFileSync(path, content);
    use(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("[issue 3] the data file is dated, and no model stands in it twice", () => {
  assert.match(builtIn.checked, /^\d{4}-\d{2}-\d{2}$/);
  const names = builtIn.models.map(({ provider, id }) => `${provider}/${id}`);
  assert.equal(new Set(names).size, names.length);
  const providers = new Set(builtIn.models.map(({ provider }) => provider));
  assert.deepEqual(providers, new Set(["openai", "anthropic", "google"]));
  for (const { id, price } of builtIn.models) {
    if (!price) continue;
    assert.ok(price.output > price.input && (price.cachedInput ?? 0) <= price.input, id);
    if (price.longPrompt) assert.ok(price.longPrompt.input > price.input, id);
  }
});

test("[issue 3] a dated name has the price of its model; a longer name is another model", () => {
  const { lookUp } = readModelData();
  const price = lookUp("openai", "gpt-5").price;
  assert.deepEqual(price, { input: 1.25, output: 10, cachedInput: 0.125 });
  assert.deepEqual(lookUp("openai", "gpt-5-2025-08-07").price, price);
  assert.equal(lookUp("anthropic", "claude-haiku-4-5-20251001").contextWindow, 200_000);
  assert.equal(lookUp("openai", "gpt-5-mini").price?.input, 0.25);
  const unknown = { contextWindow: null, price: null };
  assert.deepEqual(lookUp("openai", "gpt-5-giant"), unknown);
  assert.deepEqual(lookUp("openai", "gpt-5x"), unknown);
  assert.deepEqual(lookUp("custom", "gpt-5"), unknown);
  assert.deepEqual(lookUp("anthropic", "gpt-5"), unknown);
});

test("[issue 3] models.json in the home corrects field by field, adds models, and prefixes yield to names", () => {
  const models = [
    { provider: "openai", id: "gpt-5", price: { input: 1, output: 2 } },
    { provider: "custom", id: "my-*", context_window: 8_000, price: { input: 3, output: 4 } },
    { provider: "custom", id: "my-big", context_window: 64_000 },
  ];
  withFile(JSON.stringify({ models }), (path) => {
    const { lookUp, idsOf } = readModelData(path);
    assert.deepEqual(lookUp("openai", "gpt-5"), {
      contextWindow: 400_000,
      price: { input: 1, output: 2 },
    });
    assert.equal(lookUp("openai", "gpt-5-mini").price?.input, 0.25);
    assert.equal(lookUp("custom", "my-small").contextWindow, 8_000);
    assert.deepEqual(lookUp("custom", "my-big"), {
      contextWindow: 64_000,
      price: { input: 3, output: 4 },
    });
    assert.deepEqual(idsOf("custom"), ["my-big"]);
  });
  assert.equal(readModelData("/nowhere/models.json").lookUp("openai", "gpt-5").price?.input, 1.25);
});

test("[issue 3] a models.json that cannot be understood is an error that names it", () => {
  const bad = [
    "{",
    "[]",
    '{"models":[{"provider":"x"}]}',
    '{"models":[{"provider":"x","id":"y","price":{"input":-1,"output":1}}]}',
  ];
  for (const content of bad) {
    withFile(content, (path) => {
      assert.throws(() => readModelData(path), {
        name: "ModelError",
        code: "bad_request",
        message: /models\.json cannot be used: .+ Correct or remove it\./s,
      });
    });
  }
});
