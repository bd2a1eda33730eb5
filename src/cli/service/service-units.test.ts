// Units are read by the programs they are for, whatever the folders are called.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { needing, SYSTEMD } from "../../../test/support/needing.ts";
import { launchdPlist, systemdUnit } from "./service-units.ts";

const PLACE = {
  node: "/opt/a b/node",
  main: '/opt/100% "sure"/$HOME/main.js',
  home: "/home/x & <y>/.quarterdeck",
  workspace: "/w\\ork",
  environmentFile: "/home/x & <y>/.quarterdeck/environment",
};

test("a unit quotes what systemd would read otherwise, and nothing smuggles in a line", () => {
  const unit = systemdUnit(PLACE, { system: false });
  const start = /^ExecStart=(.*)$/m.exec(unit)?.[1];
  assert.equal(
    start,
    '"/opt/a b/node" "/opt/100%% \\"sure\\"/$$HOME/main.js" "up" "--home" "/home/x & <y>/.quarterdeck" "--workspace" "/w\\\\ork"',
  );
  assert.match(unit, /^WantedBy=default.target$/m);
  assert.match(systemdUnit(PLACE, { system: true }), /^WantedBy=multi-user.target$/m);
  const evil = { ...PLACE, workspace: "/w\nExecStartPre=/bin/evil" };
  assert.throws(() => systemdUnit(evil, { system: false }));
});

test("a plist escapes what XML would read otherwise", () => {
  const plist = launchdPlist(PLACE);
  assert.match(plist, /<string>\/home\/x &amp; &lt;y&gt;\/.quarterdeck<\/string>/);
  assert.equal(plist.match(/<string>/g)?.length, plist.match(/<\/string>/g)?.length);
});

const analyze = spawnSync("systemd-analyze", ["--version"]).status === 0;
{
  const test = needing(analyze, SYSTEMD);
  test("systemd itself finds nothing wrong with the unit", () => {
    const folder = mkdtempSync(join(tmpdir(), "qd unit-"));
    try {
      mkdirSync(join(folder, "bin"));
      const node = join(folder, "bin", "node 100%");
      writeFileSync(node, "#!/bin/sh\n");
      chmodSync(node, 0o755);
      const path = join(folder, "quarterdeck.service");
      const place = {
        ...PLACE,
        node,
        main: "/opt/main.js",
        environmentFile: `${folder}/environment`,
      };
      writeFileSync(path, systemdUnit(place, { system: false }));
      const { stderr, stdout } = spawnSync("systemd-analyze", ["verify", "--man=no", path], {
        encoding: "utf8",
      });
      const about = `${stdout}${stderr}`
        .split("\n")
        .filter((line) => line.includes("quarterdeck.service"));
      assert.deepEqual(about, []);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
