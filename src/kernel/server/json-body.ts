// Parses bodies and messages. The server bounds the size of a body; its depth is bounded here, before anything walks it.
import { ApiError } from "../events/errors.ts";

const MAX_DEPTH = 64;

export function parseBody(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text.trim() === "") return {};
  if (depthOf(text) > MAX_DEPTH) {
    throw new ApiError("too_deep", `The JSON is nested deeper than ${MAX_DEPTH} levels.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError("invalid_json", `The body is not JSON: ${(error as Error).message}`);
  }
}

/** A message of a socket, whose size the socket bounds. */
export function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError("invalid_json", "A message is JSON.");
  }
}

/** Refused rather than mended: a replaced byte would be journaled as what somebody wrote. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError("invalid_json", "The body is not UTF-8.");
  }
}

/** Deepest nesting of brackets outside strings. Scans once and stops at the limit. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length && deepest <= MAX_DEPTH; index++) {
    const char = text.charCodeAt(index);
    if (inString) {
      if (char === 0x5c) index += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, (depth += 1));
    else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
  return deepest;
}
