// Who changed a file of the home, as the API tells it.
import { z } from "zod";

/** Who changed a file of the home last: a person, the console, a run, or somebody with an editor (`hand`). */
export const LastChange = z.object({
  by: z.string(),
  at: z.number().describe("unix seconds"),
  action: z.string(),
});
export type LastChange = Readonly<z.infer<typeof LastChange>>;
