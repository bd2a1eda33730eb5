import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { inspect } from "node:util";
import { contentOf } from "../../../test/support/journal/blob-writing.ts";
import { type S3Fault, type S3Server, startS3 } from "../../../test/support/servers/s3-server.ts";
import { signatureProblem } from "../../../test/support/servers/s3-signature.ts";
import { objectUrl, type S3Options } from "./s3-requests.ts";
import { s3Blobs } from "./s3.ts";
import { blobsContract, hashOf, keep } from "./blobs.contract.ts";

function optionsOf(s3: S3Server, other: Partial<S3Options> = {}): S3Options {
  const { endpoint, bucket, credentials } = s3;
  return {
    endpoint,
    bucket,
    ...credentials,
    prefix: "a/b",
    pathStyle: true,
    retryBaseMs: 1,
    ...other,
  };
}

const nameOf = (sha256: string) => `a/b/${sha256}`;
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail("it should have failed"),
    (error: Error) => error,
  );
const methods = (s3: S3Server) => s3.requests.map(({ method }) => method);

blobsContract("blobs in s3", async () => {
  const s3 = await startS3();
  const spool = mkdtempSync(join(tmpdir(), "qd-spool-"));
  const options = { ...optionsOf(s3), spool };
  const leftovers = async () => {
    const objects = [...s3.objects.keys()].filter((key) => !/^a\/b\/\w{64}$/.test(key));
    const spooled = readdirSync(spool).filter((name) => statSync(join(spool, name)).size > 0);
    return objects.length + spooled.length;
  };
  return {
    connect: () => s3Blobs(options),
    async tamper(sha256, change) {
      s3.objects.set(nameOf(sha256), change(s3.objects.get(nameOf(sha256)) ?? Buffer.alloc(0)));
    },
    leftovers,
    writing: { s3: options },
    async [Symbol.asyncDispose]() {
      const left = await leftovers();
      rmSync(spool, { recursive: true, force: true });
      await s3[Symbol.asyncDispose]();
      assert.equal(left, 0, "not even a killed writer leaves content");
    },
  };
});

test("[E9] an object that is there is not sent again, unless it is cut short", async () => {
  await using s3 = await startS3();
  const content = contentOf(1, 100_000);
  const store = s3Blobs(optionsOf(s3));
  const { sha256 } = await keep(store, content);
  await keep(store, content);
  assert.deepEqual(methods(s3), ["HEAD", "PUT", "HEAD"]);
  s3.objects.set(nameOf(sha256), content.subarray(1));
  await keep(store, content);
  assert.ok(content.equals(await buffer(store.read(sha256))));
});

const PASSING: readonly S3Fault[] = [500, 503, 429, "drop"];
for (const fault of PASSING) {
  test(`[E9] requests that fail with ${fault} are made again, with the same content`, async () => {
    await using s3 = await startS3();
    const store = s3Blobs(optionsOf(s3));
    const content = contentOf(1, 1_000_000);
    for (const method of ["HEAD", "PUT", "GET"]) s3.fail(fault, 3, method);
    const { sha256 } = await keep(store, content);
    assert.ok(content.equals(await buffer(store.read(sha256))));
    const tries = (method: string) => methods(s3).filter((each) => each === method).length;
    assert.deepEqual([tries("HEAD"), tries("PUT"), tries("GET")], [5, 4, 4]);

    s3.fail(fault, 100);
    const reason = typeof fault === "number" ? `answered ${fault}` : "could not be reached";
    await assert.rejects(store.size(sha256), new RegExp(reason));
    await assert.rejects(buffer(store.read(sha256)), new RegExp(reason));
    await assert.rejects(keep(store, Buffer.from("new")), new RegExp(reason));
  });
}

test("[E9] a read goes on where the connection broke, and gives up when nothing comes any more", async () => {
  await using s3 = await startS3();
  const store = s3Blobs(optionsOf(s3));
  const content = contentOf(1, 1_000_000);
  const { sha256 } = await keep(store, content);
  s3.fail("half", 4, "GET");
  assert.ok(content.equals(await buffer(store.read(sha256))));
  const ranges = s3.requests.filter(({ method }) => method === "GET").map(({ range }) => range);
  assert.equal(ranges[0], undefined, "at first all of it");
  assert.ok(ranges.length > 1 && ranges.slice(1).every((range) => range?.endsWith("-999999")));

  s3.fail("half", 3, "GET");
  const part = await buffer(store.read(sha256, { start: 10, end: 900_000 }));
  assert.ok(part.equals(content.subarray(10, 900_001)));
  s3.fail("half", 1_000, "GET");
  await assert.rejects(buffer(store.read(sha256)), /cut a blob short/);
});

test("[E9] an answer of another length than was said before is refused", async () => {
  await using s3 = await startS3();
  const store = s3Blobs(optionsOf(s3));
  const { sha256 } = await keep(store, contentOf(1, 1_000));
  for (const range of [undefined, { start: 0, end: 10 }, { start: 900, end: 999 }]) {
    s3.fail("short", 1, "GET");
    await assert.rejects(buffer(store.read(sha256, range)), /damaged|answered 416/);
  }
});

test("[E9] who leaves a read waits for no answer", async () => {
  await using s3 = await startS3();
  const store = s3Blobs(optionsOf(s3));
  const { sha256 } = await keep(store, contentOf(1, 1_000));
  s3.fail("hang", 1, "GET");
  const stream = store.read(sha256).resume();
  await s3.hanging();
  stream.destroy();
  await once(stream, "close");
  const asked = methods(s3).filter((method) => method === "GET");
  assert.equal(asked.length, 1, "nor for another attempt");
});

test("[E9, S] a refusal says what to check, and never a key", async () => {
  await using s3 = await startS3();
  const right = optionsOf(s3);
  const sha256 = hashOf(Buffer.from("x"));
  const wrong: [Partial<S3Options>, RegExp][] = [
    [{ secretAccessKey: "s3cr3t-of-mine" }, /answered 403 SignatureDoesNotMatch .*check the key/],
    [{ accessKeyId: "AKOTHER" }, /answered 403 InvalidAccessKeyId/],
    [{ region: "elsewhere" }, /answered 403 AuthorizationHeaderMalformed .*the region/],
    [{ endpoint: "http://127.0.0.1:9" }, /could not be reached/],
  ];
  for (const [other, message] of wrong) {
    const options = { ...right, ...other };
    const store = s3Blobs(options);
    const read = await failureOf(buffer(store.read(sha256)));
    const kept = await failureOf(keep(store, Buffer.from("x")));
    s3.fail(404, 1, "HEAD"); // so that the PUT itself is refused
    const sent = await failureOf(keep(store, Buffer.from("x")));
    assert.match(sent.message, message);
    for (const each of [read, kept, sent]) {
      const all = `${inspect(each, { depth: 9, showHidden: true })}${inspect(store, { depth: 9 })}`;
      for (const key of [options.secretAccessKey, options.accessKeyId, "private", "Signature="]) {
        assert.ok(!all.includes(key), `${key} in ${all}`);
      }
    }
  }
  assert.equal(s3.objects.size, 0);
});

test("[E9] a bucket that is not there, or elsewhere, is said to be", async () => {
  await using s3 = await startS3();
  const store = s3Blobs(optionsOf(s3, { bucket: "another" }));
  await assert.rejects(keep(store, Buffer.from("x")), /404 NoSuchBucket to PUT/);
  s3.fail(301, 1);
  await assert.rejects(store.size("0".repeat(64)), /301 .*check the endpoint and the region/);
  assert.equal(s3.requests.length, 3, "neither is tried again, nor is a redirect followed");
});

test("[E9] a token of the session is signed with the rest", async () => {
  await using s3 = await startS3();
  const store = s3Blobs(optionsOf(s3, { sessionToken: "of/today+" }));
  const { sha256 } = await keep(store, Buffer.from("x"));
  assert.equal(await store.size(sha256), 1);
});

test("[S] the server of these tests finds the signature of Amazon's published example", () => {
  const url = "/test.txt";
  const signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
  const signed = (sent: string) => ({
    host: "examplebucket.s3.amazonaws.com",
    range: "bytes=0-9",
    "x-amz-date": "20130524T000000Z",
    "x-amz-content-sha256": hashOf(Buffer.alloc(0)),
    authorization:
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request," +
      `SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=${sent}`,
  });
  const credentials = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
  };
  const now = Date.UTC(2013, 4, 24);
  const problem = (sent: string, at: number) =>
    signatureProblem({ method: "GET", url, headers: signed(sent) }, credentials, at);
  assert.equal(problem(signature, now), undefined);
  assert.equal(problem(signature, now + 3_600_000), "RequestTimeTooSkewed");
  assert.equal(problem(signature.replace("f", "0"), now), "SignatureDoesNotMatch");
});

test("an object lies in the bucket's path or on the bucket's host", () => {
  const options = {
    endpoint: "https://s3.example/",
    bucket: "bucket",
    region: "r",
    accessKeyId: "k",
    secretAccessKey: "s",
    pathStyle: true,
  };
  const urls = [
    objectUrl(options, "key"),
    objectUrl({ ...options, prefix: "/a//b=c/" }, "key"),
    objectUrl({ ...options, pathStyle: false, prefix: "a" }, "key"),
    objectUrl({ ...options, endpoint: "http://127.0.0.1:9000/s3" }, "key"),
  ];
  assert.deepEqual(urls, [
    "https://s3.example/bucket/key",
    "https://s3.example/bucket/a/b%3Dc/key",
    "https://bucket.s3.example/a/key",
    "http://127.0.0.1:9000/s3/bucket/key",
  ]);
});
