// Which browser agents may use: the last choice in the system log. It is stored nowhere else, so it holds after any
// restart and for every runner.
import { BrowserConnected } from "../../../kernel/events/catalogue/system.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";

export type BrowserChoice = {
  /** Of the event: another one is another choice, even of the same browser. */
  readonly seq: number;
  readonly mode: "start" | "connect";
  readonly cdpUrl: string | null;
  readonly by: string;
  readonly since: number;
};

const TYPES = ["browser.connected", "browser.disconnected"];

export async function browserChoice(
  journal: Pick<Journal, "systemLog">,
): Promise<BrowserChoice | null> {
  const [body] = await journal.systemLog.events({ types: TYPES, limit: 1 });
  if (body === undefined) return null;
  const event = JSON.parse(body) as { type: string };
  if (event.type !== "browser.connected") return null;
  const { seq, created_at: since, payload } = BrowserConnected.parse(event);
  const { mode, cdp_url: cdpUrl, by } = payload;
  return { seq, mode, cdpUrl, by, since };
}
