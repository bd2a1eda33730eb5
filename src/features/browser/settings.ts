import { z } from "zod";
import { fixed, inSection } from "../../kernel/api/setting.ts";

const Path = z.string().min(1).optional(); // looked for when left out

export const BROWSER_SETTINGS = inSection("tools", {
  browser_executable: fixed(Path, "The Chrome or Chromium that agents' browser is."),
});
