// How an event becomes bytes, and how a change of those bytes is detected: each event carries its predecessor's hash,
// and ends in the SHA-256 of everything before `,"hash":`.
import { hash } from "node:crypto";
import type { AnyDraft } from "../events/system-events.ts";

const TAIL = `,"hash":"${"0".repeat(64)}"}`.length;
const PREV = `,"prev_hash":"${"0".repeat(64)}"`.length;
export const GENESIS = "0".repeat(64);
/** Larger payloads belong in a blob; without a limit one event could stall every reader. */
export const MAX_EVENT_CHARS = 1_048_576;

export type LogIds = { readonly logId: string; readonly sessionId: string; readonly epoch: string };
export type Place = {
  readonly seq: number;
  readonly sessionSeq: number;
  readonly at: string; // unix seconds as text: formatting a float costs as much as the rest
  readonly prevHash: string;
};
export type Sealed = { readonly body: string; readonly hash: string };

/** Encodes events of one log. Ids and types were validated on entry, so they need no escaping here. */
export function sealer({
  logId,
  sessionId,
  epoch,
}: LogIds): (draft: AnyDraft, place: Place) => Sealed {
  const start = `{"event_id":"${logId}:`;
  const ids = `,"run_id":"${logId}","session_id":"${sessionId}","session_seq":`;
  const type = `,"epoch":"${epoch}","type":"`;
  return (draft, { seq, sessionSeq, at, prevHash }) => {
    const core =
      `${start}${seq}","seq":${seq}${ids}${sessionSeq}${type}${draft.type}","created_at":${at}` +
      (draft.type === "done" ? ',"terminal":true,"payload":' : ',"terminal":false,"payload":') +
      `${JSON.stringify(draft.payload)},"prev_hash":"${prevHash}"`;
    const digest = hash("sha256", core);
    return { body: `${core},"hash":"${digest}"}`, hash: digest };
  };
}

/** The event's hash; undefined if the bytes are not those that were written after `prevHash`. */
export function verify(body: string, prevHash: string | undefined): string | undefined {
  const end = body.length - TAIL;
  if (end < PREV) return undefined;
  const digest = hash("sha256", body.slice(0, end));
  if (body.slice(end) !== `,"hash":"${digest}"}`) return undefined; // the frame around it counts too
  if (prevHash !== undefined && body.slice(end - 65, end - 1) !== prevHash) return undefined;
  return digest;
}
