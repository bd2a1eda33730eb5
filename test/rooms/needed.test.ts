import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { copyOfAll } from "./support.ts";

test("a room that another one needs is not deleted, and it says who needs it", async () => {
  using copy = await copyOfAll();
  const user = "src/windows/hud/uses.ts";
  const text = `import { COMPARE_VIEW } from "../../features/compare/view.ts";\nexport function label() {\n  return COMPARE_VIEW.label;\n}\n`;
  writeFileSync(join(copy.path, user), text);
  const { code, output } = await copy.delete("features/compare");
  assert.equal(code, 1);
  assert.match(output, /src\/windows\/hud\/uses\.ts:3: COMPARE_VIEW/);
  assert.ok(existsSync(join(copy.path, "src/features/compare/view.ts")), "nothing was changed");
});
