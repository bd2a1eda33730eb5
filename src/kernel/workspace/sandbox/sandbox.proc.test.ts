// What a command in the sandbox can and cannot reach, tried from inside. Only where there is one.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { link, mkdir, open, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { reapMarked } from "../client/reap.ts";
import { startToolHost, type ToolHost, type ToolHostOptions } from "../client/tool-host/client.ts";
import { HOST_MARK, RUN_MARK } from "./environment.ts";
import { findSandbox, probe } from "./find/sandbox.ts";
import { findMarked } from "../processes/marked-processes.ts";
import { layoutSandbox } from "./sandbox-layout.ts";
import { sandboxArgv } from "./sandbox.ts";
import {
  descendants,
  isAlive,
  pidIn,
  programPid,
  sandboxChoices,
  soon,
  temporaryDirectory,
  waitUntil,
} from "../host/test-support.ts";

// Toolchains of whoever runs the tests are shown inside (toolchains.ts); here nothing of a home is.
process.env["PATH"] = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

const STUBBORN = 'trap "" TERM; while :; do sleep 1; done';

function host(workspace: string, more: Partial<ToolHostOptions> = {}): ToolHost {
  return startToolHost({ workspace, protect: [], sandbox: "required", ...more });
}

async function run(on: ToolHost, command: string, marker: string = crypto.randomUUID()) {
  let text = "";
  const answer = await on.call({
    tool: "exec",
    input: { command, timeout_s: 20 },
    marker,
    notAfter: soon(),
    signal: new AbortController().signal,
    onOutput: ({ data }) => void (text += data.toString()),
  });
  assert.ok(answer.ok, JSON.stringify(answer));
  return { text, code: answer.result["exit_code"], result: answer.result };
}

test("without bubblewrap, or where it does not work, the reason and the remedy are said", async () => {
  await using ws = await temporaryDirectory();
  const missing = await probe("/nowhere:relative");
  await writeFile(ws.at("bwrap"), "#!/bin/sh\necho 'bwrap: no permissions' >&2; exit 1\n", {
    mode: 0o755,
  });
  const broken = await probe(ws.path);

  assert.ok(missing.kind === "none" && /not installed/.test(missing.why));
  assert.match(missing.fix, /apt install bubblewrap/);
  assert.ok(
    broken.kind === "none" && /does not work here \(bwrap: no permissions\)/.test(broken.why),
  );
});

test("[S] where a sandbox is required and there is none, every call says so and nothing runs", async () => {
  await using ws = await temporaryDirectory();
  const script = `
    const { startToolHost } = await import(${JSON.stringify(import.meta.resolve("../client/tool-host-client.ts"))});
    const call = { tool: "exec", input: { command: "touch ran" }, marker: "m", notAfter: 1n << 62n, signal: new AbortController().signal };
    const host = startToolHost({ workspace: ${JSON.stringify(ws.path)}, protect: [], sandbox: "required" });
    console.log(JSON.stringify(await host.call(call)));`;

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script],
    { env: { PATH: "/nowhere" } },
  );

  assert.match(stdout, /"spawn_failed".*Tools may only run in a sandbox.*apt install bubblewrap/);
  assert.deepEqual(readdirSync(ws.path), []);
});

test("the workspace comes after the empty directories it may lie in, the hidden home after all", async () => {
  const layout = {
    workspace: "/home/me/code",
    system: [{ path: "/usr", kind: "read" }],
    readable: ["/usr/bin/node"],
    writable: true,
    home: "/home/me",
    readOnly: [],
    pinned: [],
    hidden: [],
    protect: ["/home/me/code/.quarterdeck", "/home/me/.quarterdeck"],
    network: false,
    user: "other",
    othersFiles: false,
    memoryMb: 1_024,
  } as const;
  const argv = sandboxArgv(layout);
  const at = (...words: string[]) => argv.join(" ").indexOf(words.join(" "));

  assert.ok(at("--tmpfs /home/me ") >= 0 && at("--tmpfs /home/me ") < at("--bind /home/me/code"));
  assert.ok(at("--bind /home/me/code") < at("--tmpfs /home/me/code/.quarterdeck"));
  assert.equal(at("/home/me/.quarterdeck"), -1); // not there at all: nothing to hide
  for (const flag of ["--unshare-net", "--unshare-user", "--unshare-pid", "--die-with-parent"]) {
    assert.ok(argv.includes(flag), flag);
  }
  assert.equal(sandboxArgv({ ...layout, network: true }).includes("--unshare-net"), false);
  const looking = sandboxArgv({ ...layout, writable: false }).join(" ");
  assert.match(looking, /--ro-bind \/home\/me\/code \/home\/me\/code/);
  assert.doesNotMatch(looking, /--bind \/home\/me\/code /);
});

const SANDBOXED = (await sandboxChoices()).includes("required");
if (SANDBOXED) {
  test("[S] no workspace brings in the real /proc or its settings; one below /dev/shm is there", async () => {
    await using proc = host("/proc", { outside: true });
    // A number means another process in the real one.
    const own = "grep -q core_pattern /proc/$$/cmdline && echo own";
    const look = `${own}; test -w /proc/sys/kernel/core_pattern && echo writable; true`;
    assert.equal((await run(proc, look)).text, "own\n");

    const shared = mkdtempSync("/dev/shm/quarterdeck-");
    try {
      await using inShm = host(shared);
      assert.equal((await run(inShm, "touch made && ls /dev/shm")).text, `${basename(shared)}\n`);
      assert.deepEqual(readdirSync(shared), ["made"]);
    } finally {
      rmSync(shared, { recursive: true });
    }
  });

  test("[S] there is no network inside, not even to this machine; with the grant there is", async () => {
    await using ws = await temporaryDirectory();
    await using server = createServer((socket) => socket.end("hello"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using closed = host(ws.path);
    await using granted = host(ws.path, { network: true });
    const script = `require("net").connect(${port}, "127.0.0.1").on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))`;
    const command = `${process.execPath} -e '${script}'`;

    assert.equal((await run(closed, command)).text, "ECONNREFUSED\n");
    assert.equal((await run(granted, command)).text, "hello\n");
  });

  test("[S, D8] neither Quarterdeck's home nor the person's is there, wherever they lie", async () => {
    await using outer = await temporaryDirectory();
    await mkdir(outer.at("ws/home"), { recursive: true });
    await mkdir(outer.at("beside"));
    await writeFile(outer.at("ws/home/journal.db"), "events");
    await link(outer.at("ws/home/journal.db"), outer.at("ws/second-name"));
    await writeFile(outer.at("beside/journal.db"), "events");
    await using inside = host(outer.at("ws"), { protect: [outer.at("ws/home")] });
    await using above = host(outer.at("ws"), { protect: [outer.at("beside")] });
    const call = { marker: "m", notAfter: soon(), signal: new AbortController().signal };
    const read = (path: string) => inside.call({ tool: "read", input: { path }, ...call });

    const listed = await run(inside, "ls -A home; echo x > home/new; ls -A home");
    assert.deepEqual([listed.text.includes("journal"), listed.code], [false, 0]);
    assert.deepEqual(readdirSync(outer.at("ws/home")), ["journal.db"]);
    for (const path of ["home/journal.db", "second-name"]) {
      const answer = await read(path);
      assert.equal(answer.ok ? "ok" : answer.error.code, "protected", path);
    }
    // Beside it there may be this program itself, when it lies below the temporary directory too.
    await using elsewhere = await temporaryDirectory();
    assert.equal((await run(above, `ls -A ${outer.path}`)).text, "ws\n");
    const siblings = (await run(above, `ls -A ${dirname(outer.path)}`)).text.split("\n");
    assert.ok(
      siblings.includes(basename(outer.path)) && !siblings.includes(basename(elsewhere.path)),
    );
    const personal = readdirSync(homedir()).find((name) => !existsSync(join("/usr", name)));
    if (personal) assert.notEqual((await run(above, `ls -d ~/${personal}`)).code, 0);
  });

  test("[D8] a workspace inside Quarterdeck's home is refused as a whole", async () => {
    await using home = await temporaryDirectory();
    await mkdir(home.at("ws"));
    await using refused = host(home.at("ws"), { protect: [home.path] });
    const call = { marker: "m", notAfter: soon(), signal: new AbortController().signal };

    const answer = await refused.call({ tool: "exec", input: { command: "ls" }, ...call });

    assert.equal(answer.ok ? "ok" : answer.error.code, "protected");
  });

  test("[S] nothing outside the workspace can be written, and what root alone may read is hidden", async () => {
    await using ws = await temporaryDirectory();
    await using inside = host(ws.path);
    const targets = ["/x", "/usr/x", "/etc/x", "/dev/x", "/opt/x", "/proc/sys/kernel/hostname"];
    const settings = "(: >> /proc/sys/kernel/core_pattern) && echo core_pattern"; // opened, not changed
    const wider = [
      `unshare -Urm sh -c 'mount -o remount,rw,bind /proc/sys; ${settings}'`,
      `unshare -Urpfm --mount-proc sh -c '${settings}'`,
    ];
    const own = [join(import.meta.dirname, "x"), `${process.execPath}x`, "/var/x", "/sys/x"];

    const tried = await run(
      inside,
      [...targets, ...own]
        .map((path) => `(echo x > ${path}) 2> /dev/null && echo ${path}`)
        .join(";"),
    );
    const kernel = await run(inside, [settings, ...wider].join("; "));
    const shadow = await run(
      inside,
      "cat /etc/shadow /etc/gshadow /etc/sudoers; kill -0 1; mount -t tmpfs x /mnt",
    );
    const useful = await run(
      inside,
      "echo a > f; echo b > /tmp/f; echo c > ~/f; cat f /tmp/f ~/f; echo $TMPDIR",
    );

    assert.equal(tried.text, "");
    assert.doesNotMatch(kernel.text, /^core_pattern$/m);
    assert.doesNotMatch(shadow.text, /^root:/m);
    assert.equal(useful.text, "a\nb\nc\n/tmp\n");
    assert.equal(await readFile(ws.at("f"), "utf8"), "a\n");
    assert.equal(existsSync("/tmp/f"), false);
  });

  test("[S] /proc shows the sandbox's own processes only, and no way out through them", async () => {
    await using ws = await temporaryDirectory();
    await using outer = await temporaryDirectory();
    await writeFile(outer.at("secret"), "hunter2");
    await using inside = host(ws.path);
    const secret = outer.at("secret");
    const ways = ["root", "cwd", "task/1/root", "cwd/../../../.."].map(
      (way) => `cat /proc/[0-9]*/${way}${secret}`,
    );

    const pids = await run(inside, "echo /proc/[0-9]*");
    const tried = await run(inside, [...ways, `cat ${secret}`, "cat /proc/*/environ"].join("; "));

    assert.ok(pids.text.split(" ").length < 8, pids.text);
    assert.doesNotMatch(tried.text, /hunter2/);
  });

  test("[S] no command gets at the runner's own output through its host: a log or a terminal", async () => {
    await using ws = await temporaryDirectory();
    await using outer = await temporaryDirectory();
    const script = `
    const { startToolHost } = await import(${JSON.stringify(import.meta.resolve("../client/tool-host-client.ts"))});
    const call = { tool: "exec", input: { command: process.argv[1] }, marker: "m", notAfter: 1n << 62n, signal: new AbortController().signal };
    await using host = startToolHost({ workspace: ${JSON.stringify(ws.path)}, protect: [], sandbox: "required" });
    console.error("earlier");
    await host.call(call);`;
    const command =
      "for file in /proc/[0-9]*/fd/*; do readlink $file >> names; printf '\\033[2Jlate' > $file; done";
    const log = await open(outer.at("log"), "w");

    spawnSync(process.execPath, ["--input-type=module", "-e", script, command], {
      stdio: ["ignore", "ignore", log.fd],
    });
    await log.close();

    assert.doesNotMatch(await readFile(ws.at("names"), "utf8"), new RegExp(outer.path));
    assert.match(await readFile(outer.at("log"), "utf8"), /^earlier\n/);
    assert.ok(!(await readFile(outer.at("log"), "utf8")).includes("\u001b"));
  });

  test("[S] a command sees no provider key, neither its own environment nor its host's", async () => {
    await using ws = await temporaryDirectory();
    process.env["OPENAI_API_KEY"] = "sk-hunter2";
    await using inside = host(ws.path);
    const { text } = await run(inside, "env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'");
    delete process.env["OPENAI_API_KEY"];

    assert.match(text, /^QUARTERDECK_RUN=/m);
    assert.doesNotMatch(text, /hunter2/);
  });

  for (const victim of ["sandbox", "host"] as const) {
    test(`[X4] kill -9 of the ${victim} leaves nothing behind, also of what hid itself`, async () => {
      await using ws = await temporaryDirectory();
      await using inside = host(ws.path);
      const marker = crypto.randomUUID();
      const hidden = `env -i setsid sh -c 'sh -c "echo \\$\\$ > hidden; ${STUBBORN.replaceAll('"', '\\"')}" &' &`;
      const running = run(inside, `${hidden} echo $$ > pid; ${STUBBORN}`, marker);
      const ended = assert.rejects(running, /host_died/);
      const pids = [await pidIn(ws.at("pid"), inside), await pidIn(ws.at("hidden"), inside)];
      const tree = descendants(inside.pid ?? 0).map(({ pid }) => pid);
      assert.ok(tree.length >= 5 && pids.every((pid) => tree.includes(pid)));

      process.kill(victim === "host" ? programPid(inside) : (inside.pid ?? 0), "SIGKILL");

      await waitUntil("everything is dead", () => !tree.some(isAlive));
      await ended;
    });
  }

  test("[X4] marks are seen from outside: a recovering runner ends what is in a sandbox", async () => {
    await using ws = await temporaryDirectory();
    await using inside = host(ws.path);
    const marker = crypto.randomUUID();
    const running = run(inside, `setsid sh -c 'echo $$ > pid; ${STUBBORN}' & wait`, marker);
    const pid = await pidIn(ws.at("pid"), inside);

    assert.ok((await findMarked({ name: RUN_MARK, value: marker })).includes(pid));
    assert.ok((await reapMarked(marker)) >= 2);

    assert.equal(isAlive(pid), false);
    assert.equal((await running).result["ok"], false);
  });

  test("[X4] double fork, setsid and a cleared environment do not outlive the command", async () => {
    await using ws = await temporaryDirectory();
    await using inside = host(ws.path);
    const loop = "while :; do sleep 1; done";
    const command = `
      env -i setsid sh -c 'sh -c "echo \\$\\$ > hidden; exec > /dev/null 2>&1; ${loop}" &' > /dev/null 2>&1
      while [ ! -s hidden ]; do :; done; readlink /proc/$(cat hidden)/ns/pid > found`;

    await run(inside, command);

    const left = descendants(inside.pid ?? 0).map(({ pid }) =>
      existsSync(`/proc/${pid}`)
        ? readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
        : "",
    );
    assert.ok(existsSync(ws.at("found")));
    assert.deepEqual(
      left.filter((line) => line.includes("sleep 1")),
      [],
    );
  });

  test("[X3] a host that never started has begun nothing: its calls failed, they are not unknown", async () => {
    await using ws = await temporaryDirectory();
    const limits = { memoryMb: Number.NaN, processes: 1 }; // a size no sandbox can be made of
    await using broken = host(ws.path, { limits });
    const call = { marker: "m", notAfter: soon(), signal: new AbortController().signal };

    const answer = await broken.call({ tool: "exec", input: { command: "touch ran" }, ...call });

    assert.equal(answer.ok ? "ok" : answer.error.code, "spawn_failed");
    assert.deepEqual(readdirSync(ws.path), []);
  });

  test("a workspace reached by a link is the same place inside, by both its names", async () => {
    await using outer = await temporaryDirectory();
    await mkdir(outer.at("real"));
    await symlink(outer.at("real"), outer.at("name"));
    await using inside = host(outer.at("name"));

    await run(
      inside,
      `echo a > f; echo b >> ${outer.at("name")}/f; echo c >> ${outer.at("real")}/f`,
    );

    assert.equal(await readFile(outer.at("real/f"), "utf8"), "a\nb\nc\n");
  });

  test("the home directory may be the workspace, and then it is what it is", () => {
    const argv = sandboxArgv(layoutSandbox({ workspace: homedir(), protect: [] })).join(" ");
    assert.ok(argv.indexOf(`--tmpfs ${homedir()}`) < argv.indexOf(`--bind ${homedir()}`));
  });

  test("the sandbox's own processes carry no mark a command has", async () => {
    await using ws = await temporaryDirectory();
    await using inside = host(ws.path);
    const { text } = await run(inside, "echo $QUARTERDECK_TOOL_HOST; env");

    assert.deepEqual(await findMarked({ name: HOST_MARK, value: text.split("\n")[0] ?? "" }), []);
    assert.doesNotMatch(text, /QUARTERDECK_SANDBOX/);
    assert.equal((await findSandbox()).kind, "bubblewrap");
  });
}
