import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../../redact/redact.ts";
import { redactedOutput, redactedText } from "./redact-log.ts";

const KEY = "sk-live-0123456789abcdef";
const redactor = createRedactor([{ name: "KEY", value: KEY }]);

test("[S] channels do not disturb each other, and each gives up its rest once", () => {
  const channels = redactedText(redactor);
  const shown = { text: "", thought: "" };
  for (const char of `it is ${KEY}, sk-`) {
    shown.text += channels.push("text", char);
    shown.thought += channels.push("thought", char);
  }
  shown.thought += channels.end("thought");

  assert.deepEqual(shown, { text: "it is [redacted:KEY], ", thought: "it is [redacted:KEY], sk-" });
  assert.deepEqual(channels.endAll(), [{ channel: "text", rest: "sk-" }]);
  assert.deepEqual(channels.endAll(), []);
  assert.equal(channels.end("text"), "");
});

test("[S] a secret cut between two chunks of a command's output", () => {
  const output = redactedOutput(redactor);
  const chunks = [`x${KEY.slice(0, 9)}`, KEY.slice(9), "\n"].map((chunk) =>
    output.push("stdout", Buffer.from(chunk)).toString(),
  );
  assert.deepEqual(chunks, ["", "x[redacted:KEY]", "\n"]);
});

test("[R25] a line that ends like a secret begins is not torn by the other stream", () => {
  const output = redactedOutput<"stdout" | "stderr">(redactor);
  const shown: string[] = [];
  const print = (channel: "stdout" | "stderr", text: string) => {
    const piece = output.push(channel, Buffer.from(text)).toString();
    if (piece !== "") shown.push(piece);
  };
  print("stdout", "first\nmasks");
  print("stderr", "err\n");
  print("stdout", "\n");
  assert.deepEqual(shown, ["first\n", "err\n", "masks\n"]);
  const long = "m".repeat(9_000);
  print("stdout", `${long}s`);
  assert.equal(shown.at(-1), long, "a line without an end is not kept for ever");
});

test("[S] without secrets everything passes as it is", () => {
  const piece = Buffer.from(KEY);
  assert.equal(redactedOutput(undefined).push("stdout", piece), piece);
  assert.equal(redactedText(undefined).push("text", KEY), KEY);
  assert.deepEqual(redactedText(undefined).endAll(), []);
});
