import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { until } from "../../../../test/browser/support/stream-server.ts";
import { ApiFailure } from "../api-failure.ts";
import { openUploads, type LocalFile, type SendFile } from "./uploads.ts";

const file = Object.assign(new Blob(["abc"]), { name: "a.png" }) satisfies LocalFile;
const HOUR = { minMs: 3_600_000, maxMs: 3_600_000 };

test("[UX] trying a file that waits again is one try, and then it waits as before", async () => {
  let tries = 0;
  const send: SendFile = async () => {
    tries += 1;
    if (tries > 20) return new Promise(() => {}); // enough to know
    throw new ApiFailure({ code: "unreachable", status: 0, message: "away" });
  };
  const uploads = openUploads({ send, backoff: HOUR });
  uploads.add("f1", file);
  for (const [count, again] of [
    [2, () => uploads.retry("f1")],
    [3, () => uploads.retryNow()],
    [4, () => uploads.retry("f1")],
  ] as const) {
    await until(uploads, () => uploads.state("f1")?.status === "waiting");
    again();
    await turn();
    assert.equal(tries, count);
  }
  uploads.close();
});
