// What docs/windows.md says of a window beside what is computed from its table: its routes, how it is opened, and what of
// a session its protocol cannot express.

export type DialectRoute = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "WS";
  readonly path: string; // parameters in braces
  readonly summary: string;
};

export const get = (path: string, summary: string): DialectRoute => ({
  method: "GET",
  path,
  summary,
});
export const post = (path: string, summary: string): DialectRoute => ({
  method: "POST",
  path,
  summary,
});

export type WindowText = {
  readonly title: string;
  /** What one of it shows, over what, and what a client gives to come back. */
  readonly shows: string;
  readonly open: string;
  readonly degrades: readonly string[];
};

/** For the commands in `open`. */
export const AUTH = '-H "authorization: Bearer $T"';
export const JSON_BODY = "-H 'content-type: application/json'";
