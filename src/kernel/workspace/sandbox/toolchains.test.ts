import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../host/test-support.ts";
import { toolchains } from "../host/spawn-host.ts";

test("[S, R9] toolchains in a home are programs and libraries, and never what lies beside them", async () => {
  await using home = await temporaryDirectory();
  for (const file of [
    ".nvm/versions/node/v24/bin/node",
    ".nvm/versions/node/v24/lib/x",
    ".cargo/bin/cargo",
    ".cargo/credentials.toml",
    ".rustup/toolchains/x",
    ".ssh/id_ed25519",
    ".local/bin/tool",
    ".local/share/keyrings/login",
  ]) {
    mkdirSync(dirname(home.at(file)), { recursive: true });
    writeFileSync(home.at(file), "");
  }
  const bins = [".nvm/versions/node/v24/bin", ".cargo/bin", ".local/bin", ""].map(home.at);
  const shown = toolchains(["/usr/bin", ...bins].join(":"), home.path);
  const covers = (file: string) => shown.some((path) => home.at(file).startsWith(`${path}/`));
  for (const file of [".nvm/versions/node/v24/lib/x", ".cargo/bin/cargo", ".rustup/toolchains/x"]) {
    assert.ok(covers(file), file);
  }
  for (const file of [
    ".cargo/credentials.toml",
    ".ssh/id_ed25519",
    ".local/share/keyrings/login",
  ]) {
    assert.ok(!covers(file), file);
  }
  assert.deepEqual(
    toolchains("/usr/bin:/bin", home.path),
    [],
    "nothing of the home is on the path",
  );
});
