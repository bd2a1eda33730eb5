// Slows down guessing, loopback included: after too many failures an address waits.
import { ApiError } from "../events/errors.ts";

export type FailureLimit = {
  check(address: string): void;
  failed(address: string): void;
  succeeded(address: string): void;
};

export function failureLimit({ max, windowMs }: { max: number; windowMs: number }): FailureLimit {
  const failures = new Map<string, { count: number; until: number }>();
  return {
    check(address) {
      const known = failures.get(address);
      if (!known) return;
      if (known.until < Date.now()) failures.delete(address);
      else if (known.count >= max) {
        const seconds = Math.ceil((known.until - Date.now()) / 1000);
        throw new ApiError("rate_limited", `Too many failures. Try again in ${seconds} s.`, {
          retry_after_s: seconds,
        });
      }
    },
    failed(address) {
      if (failures.size > 10_000) failures.clear(); // bounded, whatever is thrown at it
      const known = failures.get(address) ?? { count: 0, until: Date.now() + windowMs };
      failures.set(address, { ...known, count: known.count + 1 });
    },
    succeeded(address) {
      failures.delete(address);
    },
  };
}
