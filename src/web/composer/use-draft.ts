// What is being written, kept through reloads, per session.
import { useState } from "react";
import { recall, remember } from "../storage.ts";

export function useDraft(place: string): readonly [string, (text: string) => void] {
  const key = `quarterdeck.draft.${place}`;
  const [text, setText] = useState(() => recall(key) ?? "");
  const change = (next: string) => {
    setText(next);
    remember(key, next);
  };
  return [text, change];
}
