// The page form of a recording: the lines, packed, in a page that has its whole program in it and may load nothing.
// Nothing of a recording stands in it as text but what is escaped here: base64 has no character that ends a script.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { RecordingManifest } from "../../../kernel/events/recording-file.ts";
import { PART_LABELS } from "../../../kernel/events/share-policy.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";

export const DATA_BEGINS =
  '<script type="application/x-quarterdeck-recording" id="recording" data-encoding="gzip, base64">';
export const DATA_ENDS = "</script>";

export type Viewer = { readonly script: string; readonly style: string };

/** The page's own views, built as one file each (scripts/build-web.ts). */
export async function readViewer(webRoot: string): Promise<Viewer> {
  const read = (name: string) => readFile(join(webRoot, "viewer", name), "utf8");
  try {
    const [script, style] = await Promise.all([read("viewer.js"), read("viewer.css")]);
    return { script: insideScript(script), style };
  } catch {
    const message = "The page has not been built, so that there is nothing to show a file with.";
    throw new ApiError("unavailable", `${message} Ask for the format json.`);
  }
}

export async function* pageOf(
  viewer: Viewer,
  manifest: RecordingManifest,
  lines: AsyncIterable<string>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${headOf(viewer, manifest)}${DATA_BEGINS}`);
  let rest = Buffer.alloc(0); // base64 is told in threes
  for await (const chunk of packed(lines)) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    yield Buffer.from(bytes.subarray(0, whole).toString("base64"));
  }
  yield Buffer.from(`${rest.toString("base64")}${DATA_ENDS}\n<script>`);
  yield Buffer.from(`${viewer.script}</script>\n</body>\n</html>\n`);
}

function packed(lines: AsyncIterable<string>): AsyncIterable<Buffer> {
  // Unlike pipe(), it also ends the source when nobody reads on: that may hold a file or a connection.
  return pipeline(Readable.from(withBreaks(lines)), createGzip({ level: 6 }), () => undefined);
}

export async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const line of lines) yield Buffer.from(`${line}\n`);
}

function headOf({ script, style }: Viewer, manifest: RecordingManifest): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types quarterdeck dompurify",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="quarterdeck ${escaped(manifest.program)}">
<meta name="quarterdeck-recording" content="${escaped(JSON.stringify(manifest))}">
<title>${escaped(visibleLine(manifest.title) || "Recording")} · Quarterdeck</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<noscript><p>${escaped(wordsOf(manifest))}</p><p>JavaScript is needed to show it.</p></noscript>
`;
}

/** For whoever looks into the file. */
function wordsOf({ title, exported_at, exported_by, policy, without, ...rest }: RecordingManifest) {
  const when = new Date(exported_at * 1000).toISOString();
  const left = without.map((part) => PART_LABELS[part]).join("; ") || "nothing but known secrets";
  return `A recording of “${visibleLine(title)}”, made ${when} by ${exported_by}. Policy ${policy}; left out: ${left}. ${rest.redacted} of ${rest.events} events were redacted.`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** Inside a page these would end the script, or begin a comment; in JavaScript they mean the same. */
function insideScript(script: string): string {
  return script
    .replaceAll(/<(?=\/script)/gi, String.raw`\x3c`)
    .replaceAll("<!--", String.raw`\x3c!--`);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? "");
}
