// A journal of a newer build cannot be recorded with this one. It is derived from a recorded session: events that such a
// build might have written are inserted, and all events are numbered and sealed again by the journal's own code. Nothing
// else of the session changes.
import { GENESIS, sealer } from "../../../src/kernel/journal/hash-chain.ts";
import type { Draft, RunEvent } from "../../../src/kernel/events/events.ts";

const FOREIGN: Readonly<Record<string, Record<string, unknown>>> = {
  "x.stream.swarm_started": { swarmId: "sw1", workers: 2 },
  "x.stream.worker_started": { swarmId: "sw1", workerId: "w1", role: "scout" },
  "x.resume.detected": { planId: "pl1" },
  "weather.changed": { wind: { knots: 12, from: "NW" }, gusts: [15, null] },
  constructor: { named: "like something every object has" },
};

export function withUnknownTypes(lines: readonly string[]): string[] {
  const heads = new Map<string, { seq: number; hash: string }>();
  const sealed: string[] = [];
  function add({ run_id, session_id, epoch, created_at }: RunEvent, draft: object): void {
    const { seq, hash } = heads.get(run_id) ?? { seq: 0, hash: GENESIS };
    const seal = sealer({ logId: run_id, sessionId: session_id, epoch });
    const place = {
      seq: seq + 1,
      sessionSeq: sealed.length + 1,
      at: String(created_at),
      prevHash: hash,
    };
    const { body, hash: next } = seal(draft as Draft, place);
    heads.set(run_id, { seq: seq + 1, hash: next });
    sealed.push(body);
  }

  const foreign = Object.entries(FOREIGN);
  for (const line of lines) {
    const event = JSON.parse(line) as RunEvent;
    const { type, payload, run_id, terminal } = event;
    const last_seq = (heads.get(run_id)?.seq ?? 0) + 1;
    add(event, { type, payload: type === "done" ? { ...payload, last_seq } : payload });
    if (terminal) continue; // nothing follows the end of a run
    const [unknownType, unknownPayload] = foreign[sealed.length % foreign.length] ?? ["", {}];
    if (type !== "session.created") add(event, { type: unknownType, payload: unknownPayload });
  }
  return sealed;
}
