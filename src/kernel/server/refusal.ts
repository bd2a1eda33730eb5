// An answer for what never became a request of the router: bytes that are not HTTP, or a handshake
// that is refused.
import { STATUS_CODES } from "node:http";
import { ERRORS, toEnvelope } from "../events/errors.ts";

export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store", // files of the page say otherwise
} as const;

export function refusal(error: unknown): string {
  const envelope = toEnvelope(error);
  const { status } = ERRORS[envelope.error.code];
  const body = JSON.stringify(envelope);
  const headers = {
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
