// One list, append only. A journal written by any release opens in every later one; a newer
// journal is refused untouched (D9).
import { initial } from "./001-initial.ts";

export const MIGRATIONS: readonly string[] = [initial];
