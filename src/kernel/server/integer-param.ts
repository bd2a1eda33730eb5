// Numbers in an address: they come as text, and every one of them has its bounds.
import { z } from "zod";

/** Fifteen digits are exact in any JavaScript. */
const MAX = 999_999_999_999_999;

export const integerParam = (least: number, most: number = MAX) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "a number")
    .transform(Number)
    .refine((value) => value >= least && value <= most, `${least} to ${most}`);

/** Back through a log, from what is before an event's seq. */
export const OLDER = {
  before: integerParam(1).optional(),
  limit: integerParam(1, 200).default(50),
};
