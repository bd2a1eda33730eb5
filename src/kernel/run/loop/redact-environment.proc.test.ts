// Children never see the secrets of the runner, wherever they look for them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../workspace/host/test-support.ts";

const SECRETS = {
  OPENAI_API_KEY: "sk-openai-0123456789",
  ANTHROPIC_API_KEY: "sk-ant-0123456789",
  GOOGLE_GENERATIVE_AI_API_KEY: "AIza-0123456789",
  QUARTERDECK_API_KEY: "sk-any-0123456789",
  API_SERVER_KEY: "server-key-0123456789",
  QUARTERDECK_SEARCH_KEY: "search-0123456789",
  GITHUB_TOKEN: "ghp_0123456789",
  AWS_SECRET_ACCESS_KEY: "aws-0123456789",
  LD_PRELOAD_SECRET: "preload-0123456789",
};

// A runner of its own, so that the secrets really are in the environment of a process above.
const RUNNER = `
  import { startToolHost } from ${JSON.stringify(join(import.meta.dirname, "../../workspace/client/tool-host/client.ts"))};
  await using host = startToolHost({ workspace: process.argv[1], protect: [] });
  const print = ({ data }) => void process.stdout.write(data);
  const command = "env; echo; tr '\\\\0' '\\\\n' < /proc/self/environ; tr '\\\\0' '\\\\n' < /proc/$PPID/environ;" +
    " tr '\\\\0' ' ' < /proc/$PPID/cmdline; echo done";
  const answer = await host.call({
    tool: "exec", input: { command }, marker: crypto.randomUUID(), onOutput: print,
    notAfter: process.hrtime.bigint() + 60_000_000_000n, signal: new AbortController().signal,
  });
  process.exitCode = answer.ok ? 0 : 1;
`;

test("[S] a command finds none of the runner's secrets: not in its environment nor its parent's", async () => {
  await using ws = await temporaryDirectory();
  const args = ["--input-type=module", "--eval", RUNNER, ws.path];
  const env = { ...process.env, ...SECRETS, LANG: "C.UTF-8" };
  const runner = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  runner.stdout.on("data", (data: Buffer) => void (printed += data.toString()));
  const [code] = (await once(runner, "close")) as [number | null];

  assert.equal(code, 0);
  assert.match(printed, /^PATH=/m);
  assert.match(printed, /^LANG=C\.UTF-8$/m);
  assert.match(printed, /done\n$/);
  for (const [name, value] of Object.entries(SECRETS)) {
    assert.ok(!printed.includes(name), `${name} is in it`);
    assert.ok(!printed.includes(value), `the value of ${name} is in it`);
  }
});
