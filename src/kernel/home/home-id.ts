// Which home this is. Homes are files of one machine, while a journal may be shared by many: what is noted of a
// file is noted of the file of this home. The name is made once, by whichever process asks first.
import { randomUUID } from "node:crypto";
import { readText, type Folder } from "./profile/files.ts";
import { changeFile } from "./replace-file.ts";

const NAME = ".home-id";
const ID = /^[0-9a-f-]{36}\n$/;
const MAX_BYTES = 100;
const known = new Map<string, string>();

/** `profiles`: the folder of all profiles. */
export async function homeId(profiles: string): Promise<string> {
  const folder: Folder = { root: profiles, path: profiles };
  let id = known.get(profiles) ?? (await readText(folder, NAME, MAX_BYTES));
  if (id === undefined || !ID.test(id)) {
    id = await changeFile({ folder, name: NAME, limit: MAX_BYTES }, (text) => {
      if (text !== undefined && ID.test(text)) return { text: undefined, result: text };
      const made = `${randomUUID()}\n`;
      return { text: made, result: made };
    });
  }
  known.set(profiles, id);
  return id.trim();
}
