// Shared schemas of queries. Every value arrives as text; numbers are bounded.
import { z } from "zod";

/** Numbers of fifteen digits are exact in JavaScript. */
const MAX_INTEGER = 999_999_999_999_999;

export const integerParam = (minimum: number, maximum: number = MAX_INTEGER) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "a number")
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `${minimum} to ${maximum}`)
    .meta({ type: "integer", minimum, ...(maximum < MAX_INTEGER && { maximum }) });

export const LIMIT = "How many, at most 200.";

/** Pages backwards through a log, from before an event's seq. */
export const OLDER = {
  before: integerParam(1).optional().describe("Only what is older than this `seq`."),
  limit: integerParam(1, 200).default(50).describe(LIMIT),
};
