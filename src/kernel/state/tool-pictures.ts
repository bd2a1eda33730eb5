// The pictures that a tool's result names: a screenshot of ours, or what a foreign tool (MCP) answered. Results are JSON
// of any shape, also in imported recordings, so every field is checked.
import type { Attachment } from "../events/catalogue/lifecycle.ts";
import { isImageType } from "../events/media-type.ts";
import { own } from "../events/own.ts";
import { screenshotOf } from "../events/screenshot.ts";

export const MAX_PICTURES = 8; // of one call

export type Picture = Attachment & { readonly sha256: string; readonly bytes: number };
type Done = { readonly name: string; readonly result: unknown };

export function toolPictures(done: Done): readonly Picture[] {
  const shot = screenshotOf(done);
  if (shot) {
    const { sha256, bytes, media_type } = shot;
    return [{ name: "screenshot.png", media_type, sha256, bytes }];
  }
  const { name, result } = done;
  if (!name.startsWith("mcp__") || typeof result !== "object" || result === null) return [];
  const images = own(result as Record<string, unknown>, "images");
  return Array.isArray(images) ? images.slice(0, MAX_PICTURES).flatMap(pictureOf) : [];
}

function pictureOf(value: unknown, index: number): Picture[] {
  const { sha256, bytes, media_type } = (value ?? {}) as Record<string, unknown>;
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return [];
  if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0) return [];
  if (typeof media_type !== "string" || !isImageType(media_type)) return [];
  const name = `image-${index + 1}.${media_type.slice("image/".length)}`;
  return [{ name, media_type, sha256, bytes }];
}
