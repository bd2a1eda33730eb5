// A person's terminals and the processes that hold them: whoever is killed, nothing goes on unseen.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  descendants,
  isAlive,
  pidIn,
  sandboxChoices,
} from "../../../src/kernel/workspace/host/test-support.ts";
import type { TerminalsView, TerminalView } from "../../../src/features/terminals/records.ts";
import { call } from "../../support/http.ts";
import { kill, newTestHome, startProgram, type Program } from "../../support/program.ts";
import { terminalWindow } from "../../support/windows/pty-place.ts";
import { until } from "../../support/until.ts";

async function newSession(program: Program): Promise<string> {
  type Made = { session_id: string };
  return (await call<Made>(program, "POST", "/api/sessions", {})).body.data.session_id;
}

async function watch(program: Program, id: string, offset = 0) {
  const { host } = new URL(program.url);
  const headers = { authorization: `Bearer ${program.token}` };
  const query = `offset=${offset}&window=w`;
  return terminalWindow(`ws://${host}/api/terminals/${id}/ws?${query}`, { headers });
}

for (const sandbox of await sandboxChoices()) {
  for (const victims of ["the server", "the server and its hosts"] as const) {
    test(`[PT5, X4] killing ${victims} leaves no process of a terminal (sandbox ${sandbox})`, async () => {
      using place = newTestHome({ sandbox });
      await using program = await startProgram(place);
      const session = await newSession(program);
      const at = `/api/sessions/${session}/terminals`;
      const made = await call<TerminalView>(program, "POST", at, { cols: 80, rows: 24 });
      const { terminal_id } = made.body.data;
      const window = await watch(program, terminal_id);
      const stubborn = (file: string) =>
        `sh -c 'trap "" HUP TERM INT; echo $$ > ${file}; sleep 614'`;
      window.say({
        type: "input",
        n: 1,
        data: `${stubborn("job")} & setsid ${stubborn("escaped")} & ${stubborn("front")}\r`,
      });
      const serve = (await program.status()).serve?.pid ?? 0;
      const files = ["job", "escaped", "front"].map((name) => join(place.workspace, name));
      const pids = await Promise.all(files.map((file) => pidIn(file, { pid: serve })));
      assert.ok(pids.every(isAlive));
      const before = (await call<TerminalsView>(program, "GET", at)).body.data;
      assert.deepEqual(
        before.terminals.map((one) => one.terminal_id),
        [terminal_id],
      );

      const hosts = descendants(serve).filter(({ parent }) => parent === serve);
      await program.kill("serve");
      if (victims !== "the server") for (const { pid } of hosts) kill(pid, "SIGKILL");
      await until(() => !pids.some(isAlive), "everything of the terminal to be gone");

      if (victims !== "the server") return;
      const after = await until(async () => {
        const answer = await call<TerminalsView>(program, "GET", at).catch(() => undefined);
        return answer?.body.data;
      }, "the next server");
      assert.deepEqual(after.terminals, []);
      assert.notEqual(after.server_id, before.server_id, "a window can tell why");
      const again = await watch(program, terminal_id, window.heard.bytes);
      assert.equal((await again.emitted("refused")).code, "not_found");
    });
  }
}
