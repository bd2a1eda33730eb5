import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { until } from "../../../../test/support/until.ts";
import { openScreen } from "./screen.ts";

function keyboard({ tty, into = tty }: { tty: boolean; into?: boolean }) {
  const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });
  const [input, output, errors] = [stream(tty), stream(into), stream(into)];
  const shown = { output: "", errors: "" };
  output.on("data", (chunk: Buffer) => (shown.output += chunk.toString()));
  errors.on("data", (chunk: Buffer) => (shown.errors += chunk.toString()));
  const heard: string[] = [];
  const screen = openScreen({ input, output, errors });
  screen.listen({
    line: (text) => void heard.push(`line ${text}`),
    end: () => void heard.push("end"),
    interrupt: () => void heard.push("interrupt"),
  });
  const press = async (keys: string, then: () => boolean) => {
    input.write(keys);
    await until(then, JSON.stringify(keys));
  };
  return { input, shown, heard, screen, press };
}
const OWN = { finish: "stop", own: true };

test("[W6] in a pipe: lines in, own replies out, everything else beside", async () => {
  const { input, shown, heard, screen } = keyboard({ tty: false });
  input.end("one\r\ntwo\n\nthree");
  await until(() => heard.at(-1) === "end");
  assert.deepEqual(heard, ["line one", "line two", "line ", "line three", "end"]);
  screen.reply("Aye.\u001b[31m", OWN);
  screen.reply("An old one.", { finish: "stop", own: false });
  screen.reply("No ink.", { finish: "error", own: true });
  screen.notice("Away.");
  screen.phase("READY");
  await until(() => shown.errors.includes("Away."));
  const errors = "An old one.\nNo ink.\nAway.\n";
  assert.deepEqual(shown, { output: "Aye.\u001b[31m\n", errors });
});

test("[S] lines from a pipe, replies at a terminal: that obeys nothing a reply says", async () => {
  const { shown, screen } = keyboard({ tty: false, into: true });
  screen.reply("\u001b]52;c;cm0gLXJm\u0007\u001b[2Jhi", OWN);
  screen.reply("\u001b[2Jold", { finish: "stop", own: false });
  screen.notice("\u001b[2Jaway");
  await until(() => shown.errors.includes("away"));
  assert.equal(shown.output, "\\u{1b}]52;c;cm0gLXJm\\u{7}\\u{1b}[2Jhi\n");
  assert.equal(shown.errors, "\\u{1b}[2Jold\n\\u{1b}[2Jaway\n");
});

test("[W6] at a terminal: a prompt that says how it is, and what is being typed stays", async () => {
  const { shown, heard, screen, press } = keyboard({ tty: true });
  await until(() => shown.output.includes("(away) › "));
  screen.phase("READY");
  await press("hel", () => shown.output.includes("hel"));
  screen.reply("A reply.", OWN);
  await until(() => /A reply\.\n\n[^]*› hel/.test(shown.output));
  await press("lo\r", () => heard.length === 1);
  assert.deepEqual(heard, ["line hello"]);
  screen.phase("WAIT_ACK");
  await until(() => shown.output.endsWith("… ") || /… .*$/.test(shown.output));
  screen.notice("Trying again in 1 s.");
  await until(() => shown.errors === "Trying again in 1 s.\n");
  await press("\u001b[A\r", () => heard.length === 2);
  assert.equal(heard[1], "line hello", "the line before is an arrow away");
  screen.reply("No\u001b[2Jink.", { finish: "error", own: true });
  await until(() => shown.output.includes("✗ No\\u{1b}[2Jink.\n"));
  screen.close();
  await until(() => shown.output.endsWith("\n"));
});

test("[W6] at a terminal: Ctrl+C drops what is typed, then interrupts; Ctrl+D ends", async () => {
  const { heard, press, shown } = keyboard({ tty: true });
  await press("nonsense", () => shown.output.includes("nonsense"));
  await press("\u0003\r", () => heard.length === 1);
  assert.deepEqual(heard, ["line "]);
  await press("\u0003", () => heard.length === 2);
  await press("\u0004", () => heard.length === 3);
  assert.deepEqual(heard.slice(1), ["interrupt", "end"]);
});
