// What queries have in common. Everything in an address comes as text; numbers have their bounds.
import { z } from "zod";

/** Fifteen digits are exact in any JavaScript. */
const MAX_INTEGER = 999_999_999_999_999;

export const integerParam = (minimum: number, maximum: number = MAX_INTEGER) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "a number")
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `${minimum} to ${maximum}`)
    .meta({ type: "integer", minimum, ...(maximum < MAX_INTEGER && { maximum }) });

export const LIMIT = "How many, at most 200.";

/** Back through a log, from what is before an event's seq. */
export const OLDER = {
  before: integerParam(1).optional().describe("Only what is older than this `seq`."),
  limit: integerParam(1, 200).default(50).describe(LIMIT),
};
