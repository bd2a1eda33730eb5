// How a route of the console is written down.
import type { DialectRoute } from "../../../kernel/dialect/window-doc.ts";

export const get = (path: string, summary: string): DialectRoute => route("GET", path, summary);
export const post = (path: string, summary: string): DialectRoute => route("POST", path, summary);

export function route(method: DialectRoute["method"], path: string, summary: string): DialectRoute {
  return { method, path: `/api/gui${path}`, summary };
}
