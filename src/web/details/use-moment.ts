// The time of what is shown: the present, or that of the event the scrubber stands at.
import { useFold, useSource } from "../session/use-session.ts";
import { useNow } from "../ui/use-now.ts";
import { ledgerFold, type Ledger } from "./ledger.ts";

/** Unix seconds. Goes on by itself only while the present is shown. */
export function useMoment(): number {
  const { at, recording } = useSource();
  const now = useNow(1_000);
  const event = at === null ? undefined : recording.at(at);
  return event?.created_at ?? now / 1_000;
}

const whole = (ledger: Ledger) => ledger;

/** Changes whenever somebody used something; what runs used can be read from their states then. */
export function useLedger(): Ledger {
  return useFold(ledgerFold, whole);
}
