// The tools that reach the web, with what was set for them.
import type { Config } from "../config.ts";
import type { Tool } from "../kernel/run/tools/tool.ts";
import { createWebFetch } from "../kernel/run/tools/web-fetch.ts";
import { createWebSearch } from "../kernel/run/tools/web-search.ts";

export function webTools(config: Config): Tool[] {
  const { web_search_url: endpoint, allow_private_hosts: allowPrivateHosts } = config;
  const key = config.keys.webSearch;
  return [
    createWebFetch({ allowPrivateHosts }),
    createWebSearch({ endpoint, ...(key !== undefined && { key }) }),
  ];
}
