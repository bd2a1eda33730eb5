// Reads a page of the web. The address is checked, whatever a permission says: allowing a host
// does not open this machine's own network (S).
import { z } from "zod";
import { fetchPage, type FetchedPage, type FetchSettings } from "../web/fetch-page.ts";
import { pageText } from "../web/page-text.ts";
import { keptText, networkFailure } from "../web/tool-results.ts";
import { defineTool, failure, type Tool, type ToolContext, type ToolResult } from "./tool.ts";

const DEFAULT_BYTES = 1_048_576;
const MAX_BYTES = 8_388_608;

export function createWebFetch(settings: FetchSettings): Tool {
  return defineTool({
    name: "web_fetch",
    description:
      "Read a page or file from the web by its address. HTML comes as readable text with its links. " +
      "A redirect to another host is reported instead of followed.",
    input: z.object({
      url: z.string().min(1).max(8_192).describe("An http or https address"),
      max_bytes: z.int().min(1).max(MAX_BYTES).optional().describe("How much of it to read"),
    }),
    risk: "network",
    replay: "safe",
    label: ({ url }) => `Fetch ${url}`,
    access: ({ url }) => [{ kind: "network", url }],
    execute: async ({ url, max_bytes: maxBytes = DEFAULT_BYTES }, { log, signal }) => {
      const address = URL.parse(url);
      if (address?.protocol !== "http:" && address?.protocol !== "https:")
        return failure("invalid_url", "Only http and https addresses can be fetched.");
      try {
        const page = await fetchPage(address, { maxBytes, settings, signal });
        return await resultOf(page, log.journal);
      } catch (error) {
        signal.throwIfAborted();
        return networkFailure(error);
      }
    },
  });
}

async function resultOf(
  page: FetchedPage,
  journal: ToolContext["log"]["journal"],
): Promise<ToolResult> {
  const { kind, text, title } = pageText(page.bytes, page.contentType, page.url);
  const ok = page.status < 400;
  const { url, status, truncated, contentType: content_type, redirect } = page;
  const bytes = page.declaredBytes ?? page.bytes.byteLength;
  const result = {
    ok,
    url: url.href,
    status,
    content_type,
    bytes,
    truncated,
    ...(title && { title }),
    ...(redirect && { redirect: redirect.href }),
  };
  const says = redirect
    ? `${url.href} redirects to another host: ${redirect.href}\nFetch that address if you want it.`
    : kind === "binary"
      ? `Not text: ${content_type || "of unknown type"}, ${truncated ? "more than " : ""}${bytes} bytes.`
      : text;
  const output = await keptText(title && !redirect ? `${title}\n\n${says}` : says, journal);
  if (ok) return { ok, result, output };
  const error = { code: "http_status", message: `The server answered ${status}.` };
  return { ok, result, output, error };
}
