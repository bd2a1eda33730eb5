// The time of the shown moment: now, or the event at the scrubber.
import { useFold, useSource } from "../session/use-session.ts";
import { useNow } from "../ui/use-now.ts";
import { ledgerFold, type Ledger } from "./ledger.ts";

/** Unix seconds. Ticks only while the present is shown. */
export function useMoment(): number {
  const { at, recording } = useSource();
  const now = useNow(1_000);
  const event = at === null ? undefined : recording.at(at);
  return event?.created_at ?? now / 1_000;
}

const whole = (ledger: Ledger) => ledger;

/** Changes whenever tokens were used. */
export function useLedger(): Ledger {
  return useFold(ledgerFold, whole);
}
