// An unsaved edit of a file. Survives closing and reloading, and remembers its base version, so it never
// overwrites another one.
import { useEffect, useState } from "react";
import type { FileText } from "../../kernel/api/records/records.ts";
import { recall, remember } from "../storage.ts";
import { forField } from "./line-ends.ts";

type Kept = { readonly text: string; readonly over: string };

export function useDraft(sessionId: string, file: FileText) {
  const key = `quarterdeck.edit.${sessionId}.${file.path}`;
  const [base] = useState(() => forField(file.text));
  const [kept] = useState(() => keptDraft(recall(key)));
  const [text, setText] = useState(kept?.text ?? base);
  const over = kept?.over ?? file.sha256;
  const changed = text !== base;
  useEffect(() => {
    remember(key, changed ? JSON.stringify({ text, over } satisfies Kept) : null);
  }, [key, text, over, changed]);
  return { text, setText, changed, over, forget: () => remember(key, null) };
}

export function keptDraft(stored: string | null): Kept | null {
  try {
    const { text, over } = JSON.parse(stored ?? "null") as Partial<Kept>;
    return typeof text === "string" && typeof over === "string" ? { text, over } : null;
  } catch {
    return null; // nothing, or not ours
  }
}
