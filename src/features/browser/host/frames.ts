// What a runner and its browser host say to each other, one JSON object per line.

/**
 * What to do in a session's tab. `host`: of the page that the call was allowed for. Reading needs none: it is about what
 * such calls brought there.
 */
export type BrowserAction =
  | { readonly action: "open"; readonly url: string }
  | { readonly action: "read"; readonly selector?: string | undefined }
  | { readonly action: "click"; readonly host: string; readonly target: string }
  | {
      readonly action: "type";
      readonly host: string;
      readonly target: string;
      readonly text: string;
      readonly submit: boolean;
    }
  | { readonly action: "screenshot"; readonly full_page: boolean };

export type Beginning = {
  readonly mode: "start" | "connect";
  readonly cdp_url: string | null;
  readonly executable: string | null;
  readonly allow_private_hosts: readonly string[];
  /** For everything it writes; removed when it ends. */
  readonly directory: string;
  readonly mark: string;
};

export type ToBrowser =
  | ({ readonly kind: "begin" } & Beginning)
  | {
      readonly kind: "call";
      readonly id: string;
      readonly tab: string;
      readonly not_after: string; // on the clock of process.hrtime.bigint(): nothing begins after it
      readonly request: BrowserAction;
    }
  | { readonly kind: "abort"; readonly id: string };

/** What came of a call. `text` is null where nobody may read the page yet: it is at a host nobody allowed. */
export type PageAnswer = {
  readonly url: string;
  readonly host: string | null;
  readonly title: string | null;
  readonly status: number | null;
  readonly text: string | null;
  readonly truncated: boolean;
  /** What the page did besides: dialogs, other tabs, downloads, refused addresses. */
  readonly notes: readonly string[];
  readonly png?: string; // base64
};

export type BrowserErrorCode =
  | "page_gone" // there is no tab, or it was closed
  | "other_host" // the page is at a host that nobody allowed
  | "no_element"
  | "invalid_url"
  | "address_refused"
  | "host_not_found"
  | "navigation_failed"
  | "no_answer" // it was sent to the page and may have had its effect
  | "page_hung"
  | "too_large"
  | "aborted"
  | "claim_expired"
  | "browser_error";

export type FromBrowser =
  | { readonly kind: "ready"; readonly version: string }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "done"; readonly id: string; readonly ok: true; readonly answer: PageAnswer }
  | {
      readonly kind: "done";
      readonly id: string;
      readonly ok: false;
      readonly error: { readonly code: BrowserErrorCode; readonly message: string };
    };

export const MAX_BROWSER_LINE = 24_000_000; // a screenshot in base64

export class BrowserError extends Error {
  override name = "BrowserError";
  readonly code: BrowserErrorCode;
  constructor(code: BrowserErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
