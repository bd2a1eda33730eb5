import assert from "node:assert/strict";
import { test } from "node:test";
import { buffer } from "node:stream/consumers";
import { Pool } from "pg";
import { sharedPostgres } from "../../../test/support/postgres/postgres.ts";
import { startS3 } from "../../../test/support/servers/s3-server.ts";
import { BLOBS_DDL } from "./ddl.ts";
import { BlobSettingsError, blobStoreFor, s3OptionsOf } from "./settings.ts";
import { keep } from "./blobs.contract.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s3cr3t/of+mine" };
const keys = { accessKeyId: "AKID", secretAccessKey: "s3cr3t/of+mine" };

test("a URL and the environment say where blobs are", () => {
  assert.deepEqual(
    s3OptionsOf("s3://bucket/a/b?endpoint=http://127.0.0.1:9000&region=eu-1", KEYS),
    {
      endpoint: "http://127.0.0.1:9000/",
      region: "eu-1",
      pathStyle: true,
      ...keys,
      bucket: "bucket",
      prefix: "a/b",
    },
  );
  assert.deepEqual(
    s3OptionsOf("s3://my.bucket?endpoint=https://s3.example&path_style=false", KEYS),
    {
      endpoint: "https://s3.example/",
      region: "us-east-1",
      pathStyle: false,
      ...keys,
      bucket: "my.bucket",
    },
  );
  const token = { ...KEYS, AWS_SESSION_TOKEN: "today" };
  assert.deepEqual(s3OptionsOf("s3://bucket/?region=eu-west-1", token), {
    endpoint: "https://s3.eu-west-1.amazonaws.com",
    region: "eu-west-1",
    pathStyle: false,
    ...keys,
    bucket: "bucket",
    sessionToken: "today",
  });
});

test("[S] bad settings give one sentence, without what was set", () => {
  const good = "s3://bucket?endpoint=https://s3.example";
  const cases: [string, RegExp, object?][] = [
    ["", /must look like s3:/],
    ["bucket", /must look like s3:/],
    ["https://s3.example/bucket", /must look like s3:/],
    ["s3:///prefix?region=r", /must name a bucket/],
    ["s3://UPPER_case?region=r", /must name a bucket/],
    ["s3://AKID:s3cr3t@bucket?region=r", /must not carry keys/],
    ["s3://bucket", /needs an endpoint, or a region/],
    ["s3://bucket?endpoint=s3.example", /plain http or https address/],
    ["s3://bucket?endpoint=https://a:s3cr3t@s3.example", /plain http or https address/],
    ["s3://bucket?endpoint=ftp://s3.example", /plain http or https address/],
    ["s3://bucket?region=r/../s3cr3t", /region/],
    [`${good}&path_style=yes`, /path_style=true or path_style=false/],
    [`${good}&s3cr3t=1`, /unknown setting; known are endpoint, region, path_style/],
    ["s3://bucket/a%20b?region=r", /in its prefix/],
    [good, /needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/, {}],
    [good, /needs AWS_ACCESS_KEY_ID/, { AWS_SECRET_ACCESS_KEY: "s3cr3t" }],
    [good, /AWS_SECRET_ACCESS_KEY/, { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "" }],
  ];
  for (const [url, message, environment = KEYS] of cases) {
    assert.throws(
      () => s3OptionsOf(url, environment),
      (error) => {
        assert.ok(error instanceof BlobSettingsError, url);
        assert.match(error.message, message, url);
        assert.match(error.message, /^[A-Z].*[^.]\.$/);
        return !error.message.includes("s3cr3t");
      },
    );
  }
});

test("blobs are in S3 if a URL says so, else in the database", async () => {
  await using s3 = await startS3();
  const { accessKeyId, secretAccessKey, region } = s3.credentials;
  const environment = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const databases = await sharedPostgres();
  const database = await databases.database();
  const pool = new Pool({ connectionString: database });
  const url = `s3://${s3.bucket}/deep?endpoint=${encodeURIComponent(s3.endpoint)}&region=${region}`;
  const store = blobStoreFor({ url, pool, environment });
  const { sha256 } = await keep(store, Buffer.from("content"));
  assert.deepEqual([...s3.objects.keys()], [`deep/${sha256}`]);
  assert.equal((await buffer(store.read(sha256))).toString(), "content");

  await pool.query(BLOBS_DDL);
  const inDatabase = blobStoreFor({ url: undefined, pool, environment: {} });
  await keep(inDatabase, Buffer.from("content"));
  assert.equal((await pool.query("select from blobs where sha256 = $1", [sha256])).rowCount, 1);
  await pool.end();
  await databases.drop(database);
});
