// Searches the web through the endpoint a person configured (SearXNG's JSON). Without one the tool
// is still there and says what is missing, so a model can tell the person instead of guessing.
import { z } from "zod";
import { fetchJson } from "../web/fetch-json.ts";
import { keptText, networkFailure } from "../web/tool-results.ts";
import { defineTool, failure, type Tool } from "./tool.ts";

export type WebSearchSettings = {
  readonly endpoint: string | undefined;
  readonly key?: string;
  readonly totalMs?: number;
};

const DEFAULT_COUNT = 8;
const NOT_CONFIGURED =
  "Web search is not set up. A person can set web_search_url to the address of a SearXNG search.";

const Answer = z.object({ results: z.array(z.unknown()) });
const Hit = z.object({
  title: z.string().catch(""),
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  content: z.string().catch(""),
});

export function createWebSearch({ endpoint, key, totalMs }: WebSearchSettings): Tool {
  const configured = endpoint === undefined ? undefined : URL.parse(endpoint);
  const search = (query: string) => {
    const url = new URL(configured ?? "http://invalid");
    url.searchParams.set("q", query);
    url.searchParams.set("format", "json");
    return url;
  };
  return defineTool({
    name: "web_search",
    description:
      "Search the web. Returns titles, addresses and excerpts." +
      (configured ? "" : " (Not set up here: it only says how to set it up.)"),
    input: z.object({
      query: z.string().min(1).max(1_000),
      count: z.int().min(1).max(20).optional().describe("How many results"),
    }),
    risk: "network",
    replay: "safe",
    label: ({ query }) => `Search the web: ${query}`,
    access: ({ query }) => (configured ? [{ kind: "network", url: search(query).href }] : []),
    execute: async ({ query, count = DEFAULT_COUNT }, { log, signal }) => {
      if (endpoint === undefined) return failure("not_configured", NOT_CONFIGURED);
      if (!configured)
        return failure("not_configured", "web_search_url is not an address. Set it to one.");
      try {
        const answer = await fetchJson(search(query), {
          signal,
          ...(key !== undefined && { key }),
          ...(totalMs !== undefined && { totalMs }),
        });
        const results = hitsOf(answer, count);
        if (!results)
          return failure("bad_answer", "The search endpoint did not answer as expected.");
        const text = results.map(({ title, url, content }) => `${title}\n${url}\n${content}`);
        const output = await keptText(text.join("\n\n") || "Nothing was found.", log.journal);
        return { ok: true, result: { ok: true, query, results, truncated: false }, output };
      } catch (error) {
        signal.throwIfAborted();
        return networkFailure(error);
      }
    },
  });
}

function hitsOf(answer: unknown, count: number) {
  const parsed = Answer.safeParse(answer);
  if (!parsed.success) return undefined;
  return parsed.data.results
    .slice(0, 200)
    .flatMap((entry) => {
      const hit = Hit.safeParse(entry);
      return hit.success ? [hit.data] : []; // one odd entry does not spoil the others
    })
    .slice(0, count)
    .map(({ title, url, content }) => ({
      title: oneLine(title, 300),
      url,
      content: oneLine(content, 1_000),
    }));
}

function oneLine(text: string, limit: number): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, limit).toWellFormed();
}
