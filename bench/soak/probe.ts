// Loaded into every process of the soak: writes its memory after a garbage collection, once a minute.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const folder = process.env["QUARTERDECK_SOAK"];
const kind = ["up", "serve", "work"].find((name) => process.argv[2] === name);
if (folder !== undefined && kind !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setInterval(() => {
    collect();
    writeFileSync(
      join(folder, kind),
      JSON.stringify({ pid: process.pid, ...process.memoryUsage() }),
    );
  }, 30_000).unref();
}
