// `token`: the API token, a new login link, or a new token that ends every session.
import { type Parsed, UsageError } from "../config.ts";
import { LINK_LIFE, newLoginLink } from "./login-link.ts";
import { openJournal } from "./open-journal.ts";
import { readStatus } from "./status.ts";
import { tokenStore } from "./token-store.ts";
import { START } from "./typed.ts";

export const flags = { link: { type: "boolean" }, rotate: { type: "boolean" } } as const;

export async function command({ config, values }: Parsed): Promise<number> {
  await using journal = await openJournal(config);
  const tokens = tokenStore(config, journal);
  if (values["rotate"]) {
    await tokens.rotate();
    await journal.systemLog.note([{ type: "token.rotated", payload: { by: "shell" } }]);
    console.error("The token is new; everyone has to log in again.");
  }
  if (!values["link"]) {
    console.log(await tokens.read());
    return 0;
  }
  const { url } = await readStatus(journal);
  if (url === null)
    throw new UsageError(`Nothing is serving this home. Start it with "${START}".`, 3);
  console.log(await newLoginLink(journal, config, url));
  console.error(`It ${LINK_LIFE}.`); // beside the link: scripts read that
  return 0;
}
