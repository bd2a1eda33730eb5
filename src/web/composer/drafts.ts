// Drafts per place (a session or the start page) with their files. Survives reloads; a file only once it is
// uploaded.
import { useCallback, useSyncExternalStore } from "react";
import type { OutgoingFile } from "../../kernel/client/outbox/outbox.ts";
import { recall, remember } from "../storage.ts";

export type Draft = { readonly text: string; readonly files: readonly OutgoingFile[] };

const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();
const textKey = (place: string) => `quarterdeck.draft.${place}`;
const filesKey = (place: string) => `quarterdeck.draft-files.${place}`;

export function draftOf(place: string): Draft {
  const known = drafts.get(place);
  if (known) return known;
  const draft = { text: recall(textKey(place)) ?? "", files: savedFiles(place) };
  drafts.set(place, draft);
  return draft;
}

export function changeDraft(place: string, change: Partial<Draft>): void {
  const before = draftOf(place);
  const draft = { ...before, ...change };
  drafts.set(place, draft);
  if (draft.text !== before.text) remember(textKey(place), draft.text);
  if (draft.files !== before.files) {
    remember(filesKey(place), draft.files.length === 0 ? null : JSON.stringify(draft.files));
  }
  for (const listener of listeners) listener();
}

/** Appends, so that nothing already written is lost. */
export function putBack(place: string, { text, files }: Draft): void {
  const now = draftOf(place);
  const words = now.text.trim() === "" ? text : `${now.text}\n\n${text}`;
  changeDraft(place, { text: words, files: [...now.files, ...files] });
  document.getElementById("composer")?.focus();
}

export function useDraft(place: string): Draft {
  const get = useCallback(() => draftOf(place), [place]);
  return useSyncExternalStore(subscribe, get);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function savedFiles(place: string): readonly OutgoingFile[] {
  try {
    const saved = JSON.parse(recall(filesKey(place)) ?? "[]") as unknown;
    return Array.isArray(saved) ? (saved as OutgoingFile[]) : [];
  } catch {
    return []; // written by something else
  }
}
