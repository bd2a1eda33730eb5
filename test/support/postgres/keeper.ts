// Survives the process that started a Postgres, however that ends, then stops the Postgres and removes its directory.
// Standard input names the directory and closes with the process.
import { rmSync } from "node:fs";
import { text } from "node:stream/consumers";
import { killServer } from "./processes.ts";

const directory = (await text(process.stdin)).trim();
if (directory) {
  await killServer(directory);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
