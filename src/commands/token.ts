// `token`: the API token, a new login link, or a new token that ends every session.
import { type Parsed, UsageError } from "../config.ts";
import { newLoginCode, readToken, writeToken } from "../server/token.ts";
import { openJournal } from "./open-journal.ts";
import { readStatus } from "./status.ts";

export const flags = { link: { type: "boolean" }, rotate: { type: "boolean" } } as const;

const LINK_SECONDS = 900;

export async function command({ config, values }: Parsed): Promise<number> {
  await using journal = await openJournal(config);
  if (values["rotate"]) {
    if (config.apiServerKey) throw new UsageError("The token is fixed by API_SERVER_KEY.");
    writeToken(config.home);
    console.error("The token is new; everyone has to log in again.");
  }
  if (!values["link"]) {
    console.log(config.apiServerKey ?? readToken(config.home));
    return 0;
  }
  const { url } = await readStatus(journal);
  if (url === null)
    throw new UsageError('Nothing is serving this home. Start it with "npm start".', 3);
  const { code, hash } = newLoginCode();
  await journal.addLoginCode(hash, LINK_SECONDS);
  console.log(`${url}/#login=${code}`);
  return 0;
}
