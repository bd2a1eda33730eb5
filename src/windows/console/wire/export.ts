// A session as a file a person keeps: Markdown, plain text, a page that opens anywhere, or JSON. Pure text
// in, pure text out; whatever a model or a tool printed is escaped, never interpreted.
import { visibleText } from "../../../kernel/text/visible-text.ts";
import type { TimelineItem, TranscriptItem } from "./transcript.ts";

export const EXPORT_FORMATS = ["md", "json", "html", "txt"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type Exported = {
  readonly session: { readonly session_id: string; readonly title: string; readonly model: string };
  readonly items: readonly TranscriptItem[];
  readonly tools: readonly TimelineItem[];
  readonly exported_at: string;
  /** Not everything is in the file. */
  readonly truncated: boolean;
};

export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  md: "text/markdown; charset=utf-8",
  json: "application/json; charset=utf-8",
  html: "text/html; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

export function exportSession(exported: Exported, format: ExportFormat): string {
  if (format === "json") return `${JSON.stringify(exported, null, 2)}\n`;
  if (format === "html") return asPage(exported);
  const heading = format === "md" ? (text: string) => `## ${text}` : (text: string) => `${text}:`;
  const title = oneLine(exported.session.title) || exported.session.session_id;
  const head = format === "md" ? `# ${title}` : title;
  const about = `${exported.session.session_id} · ${exported.session.model} · ${exported.exported_at}`;
  const parts = exported.items.map((item) => {
    const body = item.role === "tool" && format === "md" ? fenced(item.content) : item.content;
    return `${heading(nameOf(item))}\n\n${body || callsIn(item)}`;
  });
  const cut = exported.truncated ? [CUT] : [];
  return `${[head, about, ...cut, ...parts].join("\n\n")}\n`;
}

const CUT = "This file does not hold everything: the session is longer.";

/** For a file's name: no separators, no dots in front, nothing a shell or a header would trip over. */
export function exportName(
  { title, session_id }: Exported["session"],
  format: ExportFormat,
): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join("-").slice(0, 60) || session_id.replaceAll(/[^A-Za-z0-9_-]/g, "-");
  return `${slug}.${format}`;
}

function nameOf({ role, type, tool_name, created_at, metadata }: TranscriptItem): string {
  const who = {
    user: "You",
    assistant: type === "assistant_reasoning" ? "Thinking" : "Assistant",
    tool: `Tool ${tool_name ?? ""}`,
    system: "Notice",
  }[role];
  const cut = metadata["superseded"] === true ? " (interrupted)" : "";
  return `${who}${cut} — ${created_at}`;
}

function callsIn({ tool_calls }: TranscriptItem): string {
  return (tool_calls ?? [])
    .map((call) => {
      const { name = "", arguments: given = "" } =
        (call as { function?: { name?: string; arguments?: string } }).function ?? {};
      return `→ ${name} ${given}`;
    })
    .join("\n");
}

/** A fence longer than any in the text: what a tool printed cannot leave it. */
function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}\n${text}\n${fence}`;
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}" +
  "article{border-top:1px solid #8884;padding:.5rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0}" +
  "h2{font-size:.9rem;margin:.5rem 0;opacity:.7}.tool pre,.system pre{font-size:.85rem;opacity:.85}";

function asPage({ session, items, exported_at, truncated }: Exported): string {
  const title = escaped(oneLine(session.title) || session.session_id);
  const about = escaped(`${session.session_id} · ${session.model} · ${exported_at}`);
  const articles = items.map((item) => {
    const body = escaped(item.content || callsIn(item));
    return `<article class="${item.role}"><h2>${escaped(nameOf(item))}</h2><pre>${body}</pre></article>`;
  });
  // No script, no request: whatever stands in the text stays text.
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${policy}">`,
    `<meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>`,
    `<body><h1>${title}</h1><p>${about}</p>${truncated ? `<p>${CUT}</p>` : ""}`,
    ...articles,
    "</body></html>\n",
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Nothing in it acts, and nothing in it hides: what reorders or blanks a text is shown as an escape. */
function escaped(text: string): string {
  return visibleText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
