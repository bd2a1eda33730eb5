// The picture that a tool's result names, as far as it names one. Results are JSON of any shape, also of foreign tools
// and of imported recordings: only our own tool's are looked at, and every field is checked.
import { own } from "./own.ts";

export type Screenshot = {
  readonly sha256: string;
  readonly bytes: number;
  readonly media_type: "image/png";
  readonly width: number;
  readonly height: number;
};

export const SCREENSHOT_TOOL = "browser_screenshot";
const HASH = /^[0-9a-f]{64}$/;

export function screenshotOf({
  name,
  result,
}: {
  name: string;
  result: unknown;
}): Screenshot | null {
  if (name !== SCREENSHOT_TOOL || !isObject(result)) return null;
  const shot = own(result, "screenshot");
  if (!isObject(shot)) return null;
  const { sha256, bytes, width, height } = shot;
  if (typeof sha256 !== "string" || !HASH.test(sha256)) return null;
  if (!isSize(bytes) || !isSize(width) || !isSize(height)) return null;
  return { sha256, bytes, media_type: "image/png", width, height };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
