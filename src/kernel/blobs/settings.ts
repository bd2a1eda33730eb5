// Where blobs are stored, from one URL: without one in the database, otherwise in an S3-compatible store
// (`s3://bucket/prefix?endpoint=https://…&region=…`). The keys come only from the environment, because a URL is
// visible in process lists and logs.
import type { Pool } from "pg";
import type { S3Options } from "./s3-requests.ts";
import { postgresBlobs } from "./postgres.ts";
import { s3Blobs } from "./s3.ts";
import type { BlobStore } from "./blobs.ts";

export type BlobEnvironment = Readonly<
  Partial<Record<"AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" | "AWS_SESSION_TOKEN", string>>
>;
export type BlobPlace = {
  readonly url: string | undefined;
  readonly pool: Pool;
  readonly environment: BlobEnvironment;
  /** Where contents are stored until they are uploaded to S3. */
  readonly spool?: string;
};

/** One sentence that says what to correct. */
export class BlobSettingsError extends Error {
  override name = "BlobSettingsError";
}

export function blobStoreFor({ url, pool, environment, spool }: BlobPlace): BlobStore {
  if (url === undefined) return postgresBlobs(pool);
  return s3Blobs({ ...s3OptionsOf(url, environment), ...(spool !== undefined && { spool }) });
}

const PARAMETERS = ["endpoint", "region", "path_style"];
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const FORM = "s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION";

export function s3OptionsOf(text: string, environment: BlobEnvironment): S3Options {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "s3:") throw bad(`must look like ${FORM}`);
  if (url.username || url.password) {
    throw bad("must not carry keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead");
  }
  if (!BUCKET.test(url.host)) throw bad(`must name a bucket: ${FORM}`);
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw bad(`has an unknown setting; known are ${PARAMETERS.join(", ")}`);
  const prefix = prefixOf(url.pathname);
  return {
    ...placeOf(url.searchParams),
    ...keysOf(environment),
    bucket: url.host,
    ...(prefix !== "" && { prefix }),
  };
}

function placeOf(settings: URLSearchParams) {
  const endpoint = settings.get("endpoint");
  const region = settings.get("region");
  const style = settings.get("path_style") ?? String(endpoint !== null);
  if (style !== "true" && style !== "false") throw bad("needs path_style=true or path_style=false");
  if (region !== null && !/^[a-z0-9-]{1,64}$/.test(region))
    throw bad("has no region's name in region");
  if (endpoint === null) {
    if (region === null) throw bad("needs an endpoint, or a region for Amazon's own");
    const amazon = `https://s3.${region}.amazonaws.com`;
    return { endpoint: amazon, region, pathStyle: style === "true" };
  }
  return {
    endpoint: endpointOf(endpoint),
    region: region ?? "us-east-1", // stores without regions accept this one
    pathStyle: style === "true",
  };
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw bad("needs a plain http or https address as endpoint");
  }
  return url.href;
}

function prefixOf(path: string): string {
  const names = path.split("/").filter((name) => name !== "");
  if (!names.every((name) => /^[\w.=-]+$/.test(name))) {
    throw bad("may have letters, digits, '.', '_', '=' and '-' in its prefix");
  }
  return names.join("/");
}

function keysOf(environment: BlobEnvironment) {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw bad("needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment");
  }
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}

function bad(what: string): BlobSettingsError {
  return new BlobSettingsError(`The URL of the blob store ${what}.`);
}
