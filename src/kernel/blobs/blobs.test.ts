import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobsContract } from "./blobs.contract.ts";
import { blobStore } from "./blobs.ts";

blobsContract("blob files", async () => {
  const root = mkdtempSync(join(tmpdir(), "qd-blobs-"));
  return {
    connect: () => blobStore(root),
    async tamper(sha256, change) {
      const path = join(root, sha256.slice(0, 2), sha256);
      writeFileSync(path, change(readFileSync(path)));
    },
    leftovers: async () => globSync("*.tmp", { cwd: root }).length,
    writing: { root },
    async [Symbol.asyncDispose]() {
      rmSync(root, { recursive: true, force: true });
    },
  };
});
