// The browser itself: one we start, with nothing of the person in it and no way out but the guard, or a live one that a
// person offers by its debugging address. playwright-core is loaded here and nowhere else.
import type { Browser, BrowserContext } from "playwright-core";
import { HOST_MARK } from "../../../kernel/workspace/sandbox/environment.ts";
import { childEnvironment } from "../../../kernel/workspace/sandbox/find/program.ts";
import type { Beginning } from "./frames.ts";
import { guardProxy } from "./guard-proxy.ts";
import { runsAsRoot } from "./requirements.ts";

export type OpenBrowser = {
  readonly browser: Browser;
  /** Where a new tab is made. `dispose` closes what belongs to that tab only. */
  readonly context: (
    refused: (host: string, why: string) => void,
  ) => Promise<AsyncDisposable & { readonly context: BrowserContext }>;
  readonly mode: Beginning["mode"];
};

const START_MS = 30_000;
const ARGS = [
  "--disable-quic", // would go around the proxy
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", // names are looked up by the guard alone
  "--proxy-bypass-list=<-loopback>",
  "--no-first-run",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
];
const VIEWPORT = { width: 1280, height: 800 };

export async function openBrowser(wanted: Beginning): Promise<OpenBrowser> {
  return wanted.mode === "start" ? start(wanted) : connect(wanted);
}

async function start(wanted: Beginning): Promise<OpenBrowser> {
  const { chromium } = await import("playwright-core");
  const { executable, directory, mark, allow_private_hosts: allowPrivateHosts } = wanted;
  if (executable === null) throw new Error("No Chrome or Chromium was found.");
  // For whatever the browser itself wants to fetch: nobody is told what of it is refused.
  const guard = await guardProxy({ allowPrivateHosts, refused: () => undefined });
  const browser = await chromium.launch({
    executablePath: executable,
    args: ARGS,
    chromiumSandbox: !runsAsRoot(), // Chrome has none for root, and refuses to start without being told
    proxy: { server: guard.url },
    timeout: START_MS,
    env: { ...childEnvironment(), HOME: directory, TMPDIR: directory, [HOST_MARK]: mark },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    browser,
    mode: "start",
    async context(refused) {
      const own = await guardProxy({ allowPrivateHosts, refused });
      const context = await browser.newContext({
        acceptDownloads: false,
        serviceWorkers: "block",
        viewport: VIEWPORT,
        proxy: { server: own.url },
      });
      return {
        context,
        async [Symbol.asyncDispose]() {
          await context.close().catch(() => undefined);
          await own[Symbol.asyncDispose]();
        },
      };
    },
  };
}

async function connect({ cdp_url }: Beginning): Promise<OpenBrowser> {
  const { chromium } = await import("playwright-core");
  const options = { timeout: START_MS, noDefaults: true };
  const browser = await chromium.connectOverCDP(cdp_url ?? "", options);
  const [shared = await browser.newContext()] = browser.contexts();
  // With a listener the library answers no dialog by itself: those of the person's own tabs are theirs.
  shared.on("dialog", () => undefined);
  return {
    browser,
    mode: "connect",
    context: async () => ({ context: shared, [Symbol.asyncDispose]: async () => undefined }),
  };
}
