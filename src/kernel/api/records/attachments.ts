// The answer to an upload: everything that a message needs to name the file.
import { z } from "zod";

export const UploadedFile = z.object({
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  media_type: z.string(), // by its bytes, whatever its sender says
  name: z.string(),
});
export type UploadedFile = Readonly<z.infer<typeof UploadedFile>>;
