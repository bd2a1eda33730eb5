// Testing a model: the request and its result.
import { z } from "zod";
import { RunFailure } from "../../events/catalogue/lifecycle.ts";

export const TestModel = z.strictObject({
  provider: z.string().min(1).max(100),
  id: z.string().min(1).max(200),
});
export type TestModel = Readonly<z.infer<typeof TestModel>>;

export const ModelTestView = z.object({
  model: z.string().describe("provider/id"),
  status: z.enum(["answered", "failed"]),
  text: z.string().describe("its first words"),
  duration_ms: z.number().nonnegative(),
  error: RunFailure.nullable().describe("why it failed, in words that hold no secret"),
});
export type ModelTestView = Readonly<z.infer<typeof ModelTestView>>;
