// What a foreign tool answered, as a result of ours: its text is the output, its structure the result,
// both bounded. Pictures are kept as blobs, for people and for models that see; other files are only named.
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { isImageType, mediaTypeOf, SNIFF_BYTES } from "../../events/media-type.ts";
import { MAX_PICTURES } from "../../state/tool-pictures.ts";
import type { Keeping } from "../tools/bounded-output.ts";
import type { ToolResult } from "../tools/tool.ts";
import { keptText } from "../web/tool-results.ts";
import { depthBeyond } from "./describe-tool.ts";

const MAX_STRUCTURE = 65_536;
const MAX_DEPTH = 48;

export async function resultOf(answer: CallToolResult, journal: Keeping): Promise<ToolResult> {
  const text = answer.content.map(textOf).join("\n").toWellFormed();
  const ok = answer.isError !== true;
  const content = structured(answer.structuredContent);
  const output = await keptText(text, journal);
  const images = await keptImages(answer.content, journal);
  const result = {
    ok,
    truncated: output.truncated,
    ...(content !== undefined && { content }),
    ...(images.length > 0 && { images }),
  };
  if (ok) return { ok, result, output };
  const message = text.slice(0, 1_000).toWellFormed() || "The tool says that it failed.";
  return { ok, result, output, error: { code: "tool_failed", message } };
}

type KeptImage = { readonly sha256: string; readonly bytes: number; readonly media_type: string };

/** In the blob store before the result names them. What they are is told by their bytes, not by the server. */
async function keptImages(
  content: readonly ContentBlock[],
  { blobs }: Keeping,
): Promise<KeptImage[]> {
  const kept: KeptImage[] = [];
  for (const block of content) {
    if (block.type !== "image" || kept.length === MAX_PICTURES) continue;
    const image = Buffer.from(block.data, "base64");
    const media_type = mediaTypeOf(image.subarray(0, SNIFF_BYTES), { whole: true });
    if (!isImageType(media_type)) continue;
    const blob = blobs.create();
    try {
      await blob.write(image);
      kept.push({ ...(await blob.finish()), media_type });
    } finally {
      await blob.discard();
    }
  }
  return kept;
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType.slice(0, 100)}, ${bytesOf(block.data)} bytes]`;
    case "resource_link":
      return `[link: ${block.name.slice(0, 200)}, ${block.uri.slice(0, 2_000)}]`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return resource.text;
      const type = resource.mimeType?.slice(0, 100) ?? "of unknown type";
      return `[file: ${resource.uri.slice(0, 2_000)}, ${type}, ${bytesOf(resource.blob)} bytes]`;
    }
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}

/** The structure as JSON, or a word on why it was left out: half of one would mislead. */
function structured(value: unknown): unknown {
  if (value === undefined) return undefined;
  if (depthBeyond(value, MAX_DEPTH)) return "[left out: nested too deep]";
  const text = JSON.stringify(value);
  if (text.length > MAX_STRUCTURE) return `[left out: ${text.length} characters]`;
  return JSON.parse(text, (_key, part: unknown) =>
    typeof part === "string" ? part.toWellFormed() : part,
  );
}
