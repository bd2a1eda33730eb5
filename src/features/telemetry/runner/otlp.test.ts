import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startReceiver } from "../../../../test/support/servers/otlp-receiver.ts";
import { missingPackages, openOtlp, PACKAGES } from "./otlp.ts";
import { spanIdOf, traceIdOf, type Span } from "./spans.ts";

const SPAN: Span = {
  traceId: traceIdOf("run_1"),
  spanId: spanIdOf("run_1", "turn t1.1"),
  parentSpanId: spanIdOf("run_1", "run"),
  name: "chat claude",
  kind: "client",
  start: 1_790_000_000.25,
  end: 1_790_000_001.5,
  attributes: { "gen_ai.usage.input_tokens": 7, "gen_ai.response.finish_reasons": ["stop"] },
  error: "model_error",
};

test("[I6] packages that are not installed are named, and nothing else happens", () => {
  const empty = mkdtempSync(join(tmpdir(), "qd-none-"));
  try {
    assert.deepEqual(missingPackages(join(empty, "x.js")), PACKAGES);
    assert.deepEqual(missingPackages(), []);
  } finally {
    rmSync(empty, { recursive: true });
  }
});

test("[I6] a span as a collector gets it: ids, times, attributes and what went wrong", async () => {
  await using receiver = await startReceiver();
  const otlp = openOtlp({ endpoint: `${receiver.endpoint}/`, protocol: "http/json" });
  await otlp.deliver([SPAN]);
  const [span] = receiver.spans;
  assert.deepEqual(receiver.heads[0]?.path, "/v1/traces");
  assert.deepEqual(
    [span?.traceId, span?.spanId, span?.parentSpanId, span?.name, span?.kind],
    [SPAN.traceId, SPAN.spanId, SPAN.parentSpanId, "chat claude", 3],
  );
  assert.equal(span?.startTimeUnixNano, "1790000000250000000");
  assert.equal(span?.endTimeUnixNano, "1790000001500000000");
  assert.equal(span?.status.code, 2);
  assert.deepEqual(span?.attributes, {
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.response.finish_reasons": ["stop"],
    "error.type": "model_error",
  });
  await otlp.close();
});

test("[I6] protobuf, as most collectors want it", async () => {
  await using receiver = await startReceiver();
  const otlp = openOtlp({ endpoint: receiver.endpoint, protocol: "http/protobuf" });
  await otlp.deliver([SPAN]);
  assert.equal(receiver.heads[0]?.type, "application/x-protobuf");
  assert.ok(receiver.raw[0]?.includes("chat claude"));
  assert.ok(receiver.raw[0]?.includes(Buffer.from(SPAN.traceId, "hex").toString("latin1")));
  await otlp.close();
});

test("[I6] what a collector refuses is not delivered, and said to be so", async () => {
  await using receiver = await startReceiver();
  const otlp = openOtlp({ endpoint: receiver.endpoint, protocol: "http/json" });
  receiver.refuse(400);
  await assert.rejects(otlp.deliver([SPAN]));
  receiver.refuse(0);
  await otlp.deliver([SPAN]);
  assert.equal(receiver.spans.length, 1);
  await otlp.close();
});
