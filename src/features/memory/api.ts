// The routes of what a profile remembers.
import { get, post, type ApiRoute } from "../../kernel/api/api-route.ts";

const FILE = ["invalid_request", "not_found", "forbidden", "unavailable"] as const;
const CHANGE = [...FILE, "conflict", "too_large"] as const;
const changed = (action: string, body: string, summary: string): ApiRoute =>
  post(`/api/profiles/{profile}/memory/${action}`, {
    id: `${action}Memory`,
    tag: "house",
    summary,
    body,
    answer: { data: "ChangedMemory" },
    errors: CHANGE,
  });

export const MEMORY_ROUTES: readonly ApiRoute[] = [
  get("/api/profiles/{profile}/memory", {
    id: "getMemory",
    tag: "house",
    summary: "What a profile remembers, in files of this server's machine.",
    answer: { data: "ProfileMemory" },
    query: ["target"],
    errors: FILE,
  }),
  changed("add", "AddMemory", "Keep an entry."),
  changed("replace", "ReplaceMemory", "Put another entry in the place of one."),
  changed("remove", "RemoveMemory", "Forget an entry."),
];
