// What an answer says, for a model: text as it is, HTML as readable text, anything else by its kind
// and size only.
import { htmlToText } from "./html-text.ts";

export type Page = {
  readonly kind: "text" | "html" | "binary";
  readonly text: string;
  readonly title?: string;
};

const TEXT =
  /^(text\/.+|application\/(.+\+)?(json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-ndjson|x-sh|sql)|image\/svg\+xml)$/;
const HTML = new Set(["text/html", "application/xhtml+xml"]);

export function pageText(bytes: Buffer, contentType: string, url: URL): Page {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (HTML.has(type)) {
    const { title, text } = htmlToText(decode(bytes, contentType, "html"), url);
    return { kind: "html", title: title.toWellFormed(), text: text.toWellFormed() };
  }
  // Without a type it is text if it looks like it.
  if (TEXT.test(type) || (type === "" && !bytes.subarray(0, 4_096).includes(0)))
    return { kind: "text", text: decode(bytes, contentType, "text").toWellFormed() };
  return { kind: "binary", text: "" };
}

function decode(bytes: Buffer, contentType: string, kind: "html" | "text"): string {
  const named = /charset\s*=\s*"?([\w-]{1,40})/i;
  const declared =
    named.exec(contentType)?.[1] ??
    (kind === "html" ? named.exec(bytes.toString("latin1", 0, 1_024))?.[1] : undefined);
  return decoder(declared ?? "utf-8").decode(bytes);
}

function decoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
