// AWS Signature Version 4, implemented from its specification without any code of the client, for a server that verifies
// exactly what arrived on the wire.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export type Credentials = { accessKeyId: string; secretAccessKey: string; region: string };
export type SignedRequest = Pick<IncomingMessage, "method" | "url" | "headers">;

const SKEW_MS = 15 * 60_000;
const MUST_BE_SIGNED = ["host", "x-amz-content-sha256", "x-amz-date"];
const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;

/** The code S3 would refuse it with; nothing if the signature is right. */
export function signatureProblem(
  request: SignedRequest,
  { accessKeyId, secretAccessKey, region }: Credentials,
  now = Date.now(),
): string | undefined {
  const match = FORM.exec(request.headers.authorization ?? "");
  if (!match) return "AccessDenied";
  const [, key, day = "", place, service, signed = "", signature = ""] = match;
  if (key !== accessKeyId) return "InvalidAccessKeyId";
  if (place !== region || service !== "s3") return "AuthorizationHeaderMalformed";
  const names = signed.split(";");
  const sent = Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"));
  if (![...MUST_BE_SIGNED, ...sent].every((name) => names.includes(name))) return "AccessDenied";
  const time = String(request.headers["x-amz-date"]);
  if (!time.startsWith(day) || Math.abs(instantOf(time) - now) > SKEW_MS) {
    return "RequestTimeTooSkewed";
  }
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, hashOf(canonical(request, names))].join("\n");
  const steps = [day, region, "s3", "aws4_request"];
  const signingKey = steps.reduce(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  const right = hmac(signingKey, toSign);
  return timingSafeEqual(right, Buffer.from(signature, "hex"))
    ? undefined
    : "SignatureDoesNotMatch";
}

function canonical(request: SignedRequest, names: readonly string[]): string {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://host");
  const path = pathname.split("/").map((name) => encoded(decodeURIComponent(name)));
  const query = [...searchParams].map((pair) => pair.map(encoded).join("=")).toSorted();
  const headers = names.map(
    (name) => `${name}:${String(request.headers[name]).trim().replaceAll(/ +/g, " ")}\n`,
  );
  const content = String(request.headers["x-amz-content-sha256"]);
  const parts = [path.join("/"), query.join("&"), headers.join(""), names.join(";"), content];
  return [request.method, ...parts].join("\n");
}

function instantOf(time: string): number {
  return Date.parse(
    time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
}

function encoded(text: string): string {
  const escape = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, escape);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
