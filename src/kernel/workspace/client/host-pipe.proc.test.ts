import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import {
  PipeRefused,
  startToolHost,
  type HostPipe,
  type HostPipeExit,
} from "./tool-host/client.ts";
import {
  isAlive,
  pidIn,
  sandboxChoices,
  temporaryDirectory,
  waitUntil,
} from "../host/test-support.ts";

function listen(pipe: HostPipe) {
  const heard = { text: "", exit: undefined as HostPipeExit | undefined };
  pipe.onData((chunk) => void (heard.text += chunk.toString()));
  pipe.onExit((exit) => void (heard.exit = exit));
  return heard;
}

function program(script: string, more: { args?: string[]; env?: Record<string, string> } = {}) {
  const args = ["-c", script, "sh", ...(more.args ?? [])];
  return { command: "sh", args, env: more.env ?? {}, marker: crypto.randomUUID() };
}

for (const sandbox of await sandboxChoices()) {
  test(`a program is talked to over its standard input and output; its arguments see no shell (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const script = 'echo "$1 $KEY"; echo secret >&2; while read -r line; do echo "<$line>"; done';
    const pipe = await host.open(program(script, { args: ["$(id) *"], env: { KEY: "k" } }));
    const heard = listen(pipe);

    pipe.write("one\n");
    pipe.write(Buffer.from("zwei €\n"));

    await waitUntil("both came back", () => heard.text === "$(id) * k\n<one>\n<zwei €>\n");
    await pipe.kill();
    assert.deepEqual(heard.exit, {
      exit_code: null,
      signal: "SIGTERM",
      stderr: "secret\n",
      lost: false,
    });
  });

  test(`a program that ends by itself says so, with the end of its errors, also to who asks late (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const pipe = await host.open(program("echo early; echo why >&2; exit 4"));
    const missing = await host.open({ ...program(""), command: "/no/such/program", args: [] });
    await waitUntil("it ended", () => listen(pipe).exit !== undefined);

    const late = await host.open(program("echo early; touch told; sleep 60"));
    await waitUntil("it printed", () => existsSync(ws.at("told")));
    const after = listen(await host.open(program("true")));
    await waitUntil("what was printed is here", () => after.exit !== undefined);
    const said = listen(late);
    await waitUntil("it was heard", () => said.text === "early\n");
    const ended = listen(missing);
    await waitUntil("the other ended", () => ended.exit !== undefined);

    assert.deepEqual(listen(pipe).exit, {
      exit_code: 4,
      signal: null,
      stderr: "why\n",
      lost: false,
    });
    assert.equal(ended.exit?.exit_code, 127);
    assert.match(ended.exit?.stderr ?? "", /no\/such\/program/);
  });

  test(`[X3, X4] when the host dies its programs are lost and nothing of them is left (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const pipe = await host.open(program('trap "" TERM; echo $$ > pid; while :; do sleep 1; done'));
    const heard = listen(pipe);
    const pid = await pidIn(ws.at("pid"), host);

    process.kill(host.pid ?? 0, "SIGKILL");

    await waitUntil("it is told", () => heard.exit !== undefined);
    assert.equal(heard.exit?.lost, true);
    await waitUntil("nothing of it is left", () => !isAlive(pid)); // the kernel ends a sandbox in its own time
    pipe.write("into the void\n");
    await pipe.kill();
  });

  test(`[S] a program outside the workspace, or with a variable that is none, is refused (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const refused = (code: string) => (error: unknown) =>
      error instanceof PipeRefused && error.code === code;

    await assert.rejects(
      host.open({ ...program("true"), cwd: ".." }),
      refused("outside_workspace"),
    );
    await assert.rejects(
      host.open(program("true", { env: { "A=B": "c" } })),
      refused("invalid_request"),
    );
    await assert.rejects(host.open({ ...program("true"), notAfter: 0n }), refused("claim_expired"));
  });
}
