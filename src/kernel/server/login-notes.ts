// Failed logins for the audit. Guessing is cheap for whoever guesses, so it must not fill the journal: of each
// address the first failure is noted at once, what follows within a minute together.
import type { SystemLog } from "../journal/journal.ts";

export type LoginFailure = "code" | "token" | "too_many";
export type LoginNotes = { failed(address: string, reason: LoginFailure): void; stop(): void };

type Counted = { times: number; reason: LoginFailure };
const EVERY_MS = 60_000;
const MAX_ADDRESSES = 1_000;

export function loginNotes(
  systemLog: Pick<SystemLog, "note">,
  failed: (error: unknown) => void,
  everyMs = EVERY_MS,
): LoginNotes {
  const counted = new Map<string, Counted>();
  const note = (address: string, { times, reason }: Counted) => {
    const payload = { by: "nobody", address, reason, times };
    systemLog.note([{ type: "login.failed", payload }]).catch(failed);
  };
  const flush = () => {
    for (const [address, so_far] of counted) {
      if (so_far.times === 0) counted.delete(address);
      else {
        note(address, so_far);
        counted.set(address, { ...so_far, times: 0 });
      }
    }
  };
  const timer = setInterval(flush, everyMs).unref();
  return {
    failed(address, reason) {
      const known = counted.get(address);
      if (known) return void counted.set(address, { reason, times: known.times + 1 });
      if (counted.size >= MAX_ADDRESSES) return; // who has so many addresses is not found by their list
      counted.set(address, { reason, times: 0 });
      note(address, { reason, times: 1 });
    },
    stop() {
      clearInterval(timer);
      flush();
    },
  };
}
