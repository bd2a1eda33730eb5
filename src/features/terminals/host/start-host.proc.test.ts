// A terminal's host as the server sees it: real shells on real pseudo terminals, with and without a sandbox.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import "../../../../test/support/plain-shell.ts";
import { terminalHosts, type TerminalHost } from "./start-host.ts";
import {
  descendants,
  isAlive,
  pidIn,
  programPid,
  sandboxChoices,
  temporaryDirectory,
  waitUntil,
} from "../../../kernel/workspace/host/test-support.ts";

type Choice = "off" | "required";

async function opened(sandbox: Choice) {
  const base = await temporaryDirectory();
  for (const name of ["home", "work"]) mkdirSync(base.at(name));
  writeFileSync(base.at("home/token"), "secret-of-the-home");
  const hosts = terminalHosts({ home: base.at("home"), sandbox });
  const made = await hosts.open({ workspace: base.at("work"), cols: 100, rows: 30 });
  if (!made.ok) assert.fail(made.message);
  return { base, hosts, host: made.host, at: (name: string) => base.at(`work/${name}`) };
}

/** Everything it prints, from the beginning. */
function listen(host: TerminalHost, reader = "test") {
  const heard = { text: "", bytes: 0, over: false };
  const following = (async () => {
    for (let offset = 0; ;) {
      const part = await host.read(reader, { offset, now: false });
      if (!part) return;
      offset = part.offset + part.bytes;
      heard.bytes += part.bytes;
      heard.text += Buffer.from(part.data, "base64").toString();
      heard.over = part.over;
      if (part.over) return;
    }
  })();
  return {
    heard,
    following,
    until: (words: string) => waitUntil(words, () => heard.text.includes(words)),
  };
}

for (const sandbox of await sandboxChoices()) {
  const where = `(sandbox ${sandbox})`;
  test(`[PT1] a shell of its own size in the workspace, without the server's secrets ${where}`, async () => {
    process.env["QUARTERDECK_TEST_SECRET"] = "not-for-children";
    const { base, host } = await opened(sandbox);
    await using _base = base;
    await using _host = host;
    const { heard, until } = listen(host);
    await host.input("env | cat; stty size; tty; pwd; echo first-$((1+1))\r");
    await until("first-2");
    assert.match(heard.text, /30 100\r\n\/dev\/pts\/\d+\r\n/);
    assert.ok(heard.text.includes(`${base.at("work")}\r\n`));
    assert.match(heard.text, /TERM=xterm-256color/);
    assert.doesNotMatch(heard.text, /not-for-children/);
    host.resize({ cols: 55, rows: 11 });
    await host.input("stty size\r");
    await until("11 55");
    if (sandbox === "required") {
      await host.input(`cat ${base.at("home/token")}; echo seen-$((1+2))\r`);
      await until("seen-3");
      assert.doesNotMatch(heard.text, /secret-of-the-home/);
    }
  });

  test(`[PT4c] how it ended is told after the last byte it printed ${where}`, async () => {
    const { base, host } = await opened(sandbox);
    await using _base = base;
    await using _host = host;
    const { heard, following } = listen(host);
    await host.input("stty -echo; seq 1 100000; exit 9\r");
    await following;
    assert.deepEqual(await host.ended, { exit_code: 9, signal: null, limit: null });
    assert.match(heard.text, /\r\n99999\r\n100000\r\n(exit\r\n)?$/);
    const again = listen(host, "late");
    await again.following;
    assert.ok(again.heard.over, "what it printed can still be read");
  });

  test(`[PT4c] a signal is told by its name ${where}`, async () => {
    const { base, host } = await opened(sandbox);
    await using _base = base;
    await using _host = host;
    await host.input("kill -KILL $$\r");
    assert.deepEqual(await host.ended, { exit_code: null, signal: "SIGKILL", limit: null });
  });

  test(`[PT4b, B4] what is typed at a program that does not read waits, and costs a bounded amount ${where}`, async () => {
    const { base, host } = await opened(sandbox);
    await using _base = base;
    await using _host = host;
    const { until } = listen(host);
    await host.input("stty raw -echo; echo ready-$((1+1)); sleep 600\r");
    await until("ready-2");
    let taken = 0;
    const typing = Array.from({ length: 40 }, async () => {
      await host.input("x".repeat(8_192));
      taken += 1;
    });
    await host.read("after", { offset: 0, now: true }); // answered after those that had room
    assert.ok(taken > 0 && taken < 15, `${taken} of 40 taken`);
    await host[Symbol.asyncDispose]();
    await Promise.all(typing); // nobody waits for ever
  });

  test(`[PT5, X4] nothing that was started in it outlives it, however it ends ${where}`, async () => {
    for (const how of ["closed", "host killed", "sandbox killed"] as const) {
      const { base, host, at } = await opened(sandbox);
      await using _base = base;
      await using _host = host;
      await host.input("sh -c 'trap \"\" HUP TERM; echo $$ > child; sleep 611' &\r");
      await host.input("setsid sh -c 'trap \"\" HUP TERM; echo $$ > escaped; sleep 612' &\r");
      const pids = [await pidIn(at("child"), host), await pidIn(at("escaped"), host)];
      assert.ok(pids.every(isAlive));
      if (how === "closed") await host[Symbol.asyncDispose]();
      else if (how === "host killed") process.kill(programPid(host), "SIGKILL");
      else process.kill(host.pid ?? 0, "SIGKILL");
      await waitUntil(`${how}: all gone`, () => !pids.some(isAlive));
      assert.equal(await host.ended, undefined);
      assert.equal(await host.read("r", { offset: 0, now: true }), undefined);
    }
  });
}

test("[PT4, B4] a program is held back while its only window is behind", async () => {
  const { base, host } = await opened("off");
  await using _base = base;
  await using _host = host;
  const total = async () => (await host.read("behind", { offset: 0, now: true }))?.total ?? 0;
  await host.input("stty -echo; seq -w 1 2000000\r"); // 16 MB
  await waitUntil("it to print", async () => (await total()) > 262_144);
  for (let look = 0; look < 500; look += 1) await total();
  const printed = await total();
  assert.ok(printed < 600_000, `${printed} printed`);
});

test("[PT3, PT4] a program that has let go of its terminal goes on, whatever is typed and however it is resized", async () => {
  const { base, host, at } = await opened("off");
  await using _base = base;
  await using _host = host;
  await host.input("exec sh -c 'echo $$ > program; exec sleep 613' < /dev/null > /dev/null 2>&1\r");
  const pid = await pidIn(at("program"), host);
  const held = `/proc/${programPid(host)}/fd`;
  const isTerminal = (fd: string) => linkOf(`${held}/${fd}`) === "/dev/ptmx";
  await waitUntil("nobody holds the terminal", () => !readdirSync(held).some(isTerminal));
  host.resize({ cols: 40, rows: 10 });
  await host.input("typed at nobody\r");
  assert.ok(await host.read("r", { offset: 0, now: true }), "its host is there");
  assert.ok(isAlive(pid));
  process.kill(pid, "SIGTERM");
  assert.deepEqual(await host.ended, { exit_code: null, signal: "SIGTERM", limit: null });
});

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}

test("[PT1, D8] the home is no place for one, nor is a place that does not exist", async () => {
  const { base, hosts, host } = await opened("off");
  await using _base = base;
  await using _host = host;
  for (const [name, code] of [
    ["home", "protected"],
    ["nowhere", "not_found"],
  ] as const) {
    const made = await hosts.open({ workspace: base.at(name), cols: 80, rows: 24 });
    assert.equal(made.ok ? "opened" : made.code, code);
  }
  await waitUntil("the refused ones to be gone", () => {
    const ours = new Set(descendants(host.pid ?? 0).map(({ pid }) => pid));
    const hostsLeft = descendants(process.pid).filter(({ pid }) => programPid({ pid }) === pid);
    return hostsLeft.filter(({ pid }) => pid !== host.pid && !ours.has(pid)).length === 0;
  });
});
