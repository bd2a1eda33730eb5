// What the server needs to know of browsers and may not find out by itself: the runner's side has the library.

declare module "../../../kernel/server/app.ts" {
  interface AppDeps {
    /** The browser of agents; none when left out. */
    browser?: BrowserService;
  }
}
export type BrowserService = {
  /** What is there on this machine, without starting anything. */
  requirements(): {
    readonly library: boolean;
    readonly executable: string | null;
    readonly missing: readonly string[];
    readonly notes: readonly string[];
  };
  /** A debugging address in the one way it is spelled, or why nobody goes there. */
  address(text: string): { readonly url: string } | { readonly problem: string };
  /** What a live browser says it is; null when nobody answers within two seconds. */
  version(cdpUrl: string): Promise<string | null>;
};
