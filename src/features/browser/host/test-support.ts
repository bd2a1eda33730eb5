// A browser host with a real Chromium, and a web server with pages for it.
import { executable as chromiumPath } from "../../../../test/browser/support/browser.ts";
import { BrowserConnection, type BrowserReply } from "./connection.ts";
import type { BrowserAction, PageAnswer } from "./frames.ts";

export { chromiumPath };

export type TestHost = AsyncDisposable & {
  readonly connection: BrowserConnection;
  ask(request: BrowserAction, tab?: string, signal?: AbortSignal): Promise<BrowserReply>;
  /** Fails the test when it is refused. */
  sees(request: BrowserAction, tab?: string): Promise<PageAnswer>;
  /** The code of a refusal. */
  refuses(request: BrowserAction, tab?: string): Promise<{ code: string; message: string }>;
};

const later = () => process.hrtime.bigint() + 60_000_000_000n;

export async function startHost(
  options: { allow?: readonly string[]; cdpUrl?: string } = {},
): Promise<TestHost> {
  const { allow = ["127.0.0.1"], cdpUrl } = options;
  const connection = await BrowserConnection.start({
    mode: cdpUrl === undefined ? "start" : "connect",
    cdp_url: cdpUrl ?? null,
    executable: await chromiumPath(),
    allow_private_hosts: allow,
  });
  const ready = await connection.ready;
  if (!ready.ok) throw new Error(ready.message);
  const ask: TestHost["ask"] = (request, tab = "s", signal = new AbortController().signal) =>
    connection.call({ tab, request, notAfter: later(), signal });
  return {
    connection,
    ask,
    async sees(request, tab) {
      const reply = await ask(request, tab);
      if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`);
      return reply.answer;
    },
    async refuses(request, tab) {
      const reply = await ask(request, tab);
      if (reply.ok) throw new Error(`answered ${JSON.stringify(reply.answer).slice(0, 500)}`);
      return reply.error;
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
