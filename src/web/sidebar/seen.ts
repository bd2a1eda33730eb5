// Which sessions have unseen news: the newest seen event of each, in the browser's storage, shared by all tabs.
import { useSyncExternalStore } from "react";
import type { SessionRecord } from "../../kernel/client/records.ts";
import { recall, remember } from "../storage.ts";

const KEY = "quarterdeck.seen";
const MAX = 2_000;
const UNREAD = -1; // somebody wants to come back to it

/** `since`: events before this browser's first visit are not news. */
export type Seen = {
  readonly since: number; // unix seconds
  readonly seqs: Readonly<Record<string, number>>;
};

type News = Pick<
  SessionRecord,
  "session_id" | "seq" | "updated_at" | "active_status" | "pending" | "created_at"
>;

/** A running session shows its progress instead; news is what ended or waits. */
export function isUnread({ since, seqs }: Seen, session: News): boolean {
  const seen = seqs[session.session_id];
  if (seen === UNREAD) return true;
  if (session.active_status !== null && session.pending === 0) return false;
  return seen === undefined ? session.updated_at > since : session.seq > seen;
}

export function withSeen(seen: Seen, sessionId: string, seq: number): Seen {
  const others: Record<string, number> = { ...seen.seqs };
  delete others[sessionId];
  const known = Object.keys(others);
  for (const id of known.slice(0, Math.max(0, known.length + 1 - MAX))) delete others[id];
  return { ...seen, seqs: { ...others, [sessionId]: seq } };
}

let current: Seen | undefined;
const listeners = new Set<() => void>();

function load(): Seen {
  try {
    const found = JSON.parse(recall(KEY) ?? "") as Partial<Seen>;
    if (typeof found.since === "number" && typeof found.seqs === "object" && found.seqs !== null) {
      return { since: found.since, seqs: found.seqs };
    }
  } catch {
    // Missing or malformed.
  }
  const fresh = { since: Date.now() / 1_000, seqs: {} };
  remember(KEY, JSON.stringify(fresh));
  return fresh;
}

function change(sessionId: string, seq: number): void {
  current = withSeen(load(), sessionId, seq); // another tab may have written since
  remember(KEY, JSON.stringify(current));
  for (const listener of listeners) listener();
}

export function markSeen(sessionId: string, seq: number): void {
  const before = (current ??= load()).seqs[sessionId];
  if (before === undefined || before < seq) change(sessionId, seq);
}

export function markUnread(sessionId: string): void {
  change(sessionId, UNREAD);
}

export function isMarkedUnread(sessionId: string): boolean {
  return (current ??= load()).seqs[sessionId] === UNREAD;
}

export function useSeen(): Seen {
  return useSyncExternalStore(subscribe, () => (current ??= load()));
}

function subscribe(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== KEY) return;
    current = load();
    listener();
  };
  listeners.add(listener);
  window.addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", onStorage);
  };
}
