// The program itself is out of reach of its agents (A1): started as the README says in a copy of the checkout,
// no file tool and no command changes what the next start would execute.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { findSandbox } from "../../../src/kernel/workspace/sandbox/find/sandbox.ts";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { childrenOf, kill, quarterdeck, ROOT } from "../../support/program.ts";
import { eventsOf, textOf } from "../../support/runs.ts";
import { startAgent, type AgentStep } from "../../support/models/scripted-agent.ts";

const MODEL = "scripted/agent";
const TARGET = "src/cli/work.ts";
const PACKAGE = join(ROOT, "node_modules/written-by-a-tool.js"); // of the packages behind the link
const EVIL = "\n;globalThis.evil = 1;\n";

/** What git knows of, as it is now; packages by a link, which is as much the program's as a folder. */
function copyOfCheckout() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "qd-copy-")));
  const checkout = join(base, "checkout");
  const git = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", git, { cwd: ROOT, encoding: "utf8" }).split("\0");
  for (const file of files.filter((name) => name !== "" && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    cpSync(join(ROOT, file), join(checkout, file));
  }
  if (existsSync(join(ROOT, "dist/web"))) {
    cpSync(join(ROOT, "dist/web"), join(checkout, "dist/web"), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const person = join(base, "person");
  const home = join(base, "home");
  mkdirSync(person);
  mkdirSync(home, { mode: 0o700 });
  return {
    base,
    checkout,
    person,
    home,
    [Symbol.dispose]() {
      rmSync(PACKAGE, { force: true });
      rmSync(base, { recursive: true, force: true });
    },
  };
}
type Copy = ReturnType<typeof copyOfCheckout>;

/** `npm ci && npm start`, with a home and a port of its own. */
async function npmStart({ checkout, person, home }: Copy) {
  const argv = ["start", "--", "--home", home, "--port", "0"];
  const { PATH = "" } = process.env;
  const child = spawn("npm", argv, {
    cwd: checkout,
    env: { PATH, HOME: person },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let printed = "";
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      printed += `${line}\n`;
      const found = /http:\/\/[^\s/#]+/.exec(line)?.[0];
      if (found) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`npm start ended with ${code}: ${printed}`)));
  });
  const server: Server = { url, token: textOf(join(home, "token")).trim() };
  const { pid = 0 } = child;
  return {
    server,
    output: () => printed,
    [Symbol.dispose]() {
      for (const one of descendants(pid)) kill(one, "SIGKILL");
    },
  };
}

function descendants(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(descendants)];
}

for (const sandbox of ["auto", "off"] as const) {
  const isOn = sandbox === "auto" && (await findSandbox()).kind === "bubblewrap";
  test(`[SB1] npm start in a checkout: no tool changes the program (sandbox ${isOn ? "on" : "off"})`, async () => {
    using copy = copyOfCheckout();
    const target = join(copy.checkout, TARGET);
    const workspace = join(copy.person, "quarterdeck-workspace");
    const append = (path: string): AgentStep => ({
      calls: [{ name: "append", args: { path, content: EVIL } }],
    });
    const commands = [`printf '${EVIL.trim()}' >> ${target}`, "printf x >> link.ts"];
    const steps = [
      append(target),
      append(TARGET),
      append("link.ts"),
      append("second-name.ts"),
      append("program/package.json"),
      append(PACKAGE),
      ...(isOn ? commands : []).map((command) => ({
        calls: [{ name: "exec", args: { command } }],
      })),
    ];
    await using model = await startAgent([...steps, { say: "Done." }]);
    const settings = { base_url: model.baseUrl, model: MODEL, sandbox, titles: false };
    writeFileSync(join(copy.home, "config.json"), JSON.stringify(settings));
    const before = readFileSync(target, "utf8");

    using program = await npmStart(copy);
    assert.match(program.output(), new RegExp(`Workspace +${workspace}\n`));
    const status = await quarterdeck(["status", "--home", copy.home, "--workspace", workspace]);
    assert.match(status.stdout, new RegExp(`workspace of new sessions: ${workspace}\n`));
    symlinkSync(target, join(workspace, "link.ts"));
    symlinkSync(copy.checkout, join(workspace, "program"));
    linkSync(target, join(workspace, "second-name.ts"));

    // With every question answered before it is asked, only the boundary itself is left.
    const session_id = "sess_a1";
    await call(program.server, "POST", "/api/sessions", { session_id });
    await call(program.server, "POST", `/api/sessions/${session_id}/settings`, { yolo: true });
    const { run_id } = await startRun(program.server, "go", { session_id, model: MODEL });
    const { events } = await followRun(() => program.server, run_id);
    assert.equal(eventsOf(events, "tool.done").length, steps.length);
    assert.equal(readFileSync(target, "utf8"), before);
    assert.equal(existsSync(PACKAGE), false);
    assert.equal(
      readFileSync(join(copy.checkout, "package.json"), "utf8"),
      readFileSync(join(ROOT, "package.json"), "utf8"),
    );
    const [absolute] = eventsOf(events, "tool.done");
    assert.equal(absolute?.payload.error?.code, "protected");

    for (const wrong of [copy.checkout, copy.base, join(copy.checkout, "src"), ROOT]) {
      const body = { session_id: crypto.randomUUID(), workspace: wrong };
      const answer = await call(program.server, "POST", "/api/sessions", body);
      assert.equal(answer.status, 400, wrong);
      assert.match(answer.body.error.message, /Choose another folder/);
    }
  });
}
