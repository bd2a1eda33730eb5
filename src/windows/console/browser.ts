// The console's browser: its document's word for a live one is `live_chrome`, at the address everybody uses.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { BrowserView } from "../../features/browser/records.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { browserAccess } from "../../features/browser/server/access.ts";
import { both, notHere, take } from "./envelopes.ts";

const BY = "console";
const USUAL = "http://127.0.0.1:9222";
const LIVE = ["live_chrome", "live", "cdp", "connect"] as const;
const STARTED = ["start", "managed", "headless", "local"] as const;
const Body = z.looseObject({
  mode: z.enum([...LIVE, ...STARTED]).nullish(),
  cdp_url: z.string().min(1).max(500).nullish(),
});

export function browserPages(deps: AppDeps): FastifyPluginAsync {
  const browser = browserAccess(deps);
  return async (app) => {
    if (!deps.browser) app.addHook("onRequest", notHere);
    app.get("/browser/status", async () => both({ browser: emitted(await browser.view()) }));
    app.post("/browser/connect", async ({ body }) => {
      const { mode, cdp_url } = take(Body, body);
      const isLive = mode ? LIVE.some((each) => each === mode) : Boolean(cdp_url);
      const asked = isLive
        ? { mode: "connect" as const, cdp_url: cdp_url ?? USUAL }
        : { mode: "start" as const, cdp_url };
      return both({ browser: emitted(await browser.connect(asked, BY)) });
    });
    app.post("/browser/disconnect", async () =>
      both({ browser: emitted(await browser.disconnect(BY)) }),
    );
  };
}

/** Recordings are runs here: their screenshots are in the journal, not in a folder. */
function emitted({ mode, ...view }: BrowserView) {
  const word = mode === "connect" ? "live_chrome" : mode === "start" ? "managed" : "none";
  return { mode: word, ...view, recording_path: null };
}
