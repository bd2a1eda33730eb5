// The theme: the system's, unless somebody chose another.
import { useSyncExternalStore } from "react";
import { recall, remember } from "../storage.ts";

export const SCHEMES = ["system", "light", "dark"] as const;
export type Scheme = (typeof SCHEMES)[number];
export const CONTRASTS = ["system", "normal", "more"] as const;
export type Contrast = (typeof CONTRASTS)[number];
export type Look = { readonly scheme: Scheme; readonly contrast: Contrast };

const KEY = "quarterdeck.look";
const listeners = new Set<() => void>();
let look: Look = { scheme: "system", contrast: "system" };

/** Before the first paint, so that no other colours flash. */
export function startLook(): void {
  look = readLook(recall(KEY));
  matchMedia("(prefers-contrast: more)").addEventListener("change", paint);
  paint();
}

export function readLook(kept: string | null): Look {
  const [scheme, contrast] = (kept ?? "").split(" ");
  return {
    scheme: SCHEMES.find((known) => known === scheme) ?? "system",
    contrast: CONTRASTS.find((known) => known === contrast) ?? "system",
  };
}

export function changeLook(change: Partial<Look>): void {
  look = { ...look, ...change };
  remember(KEY, `${look.scheme} ${look.contrast}`);
  paint();
  for (const listener of listeners) listener();
}

export function useLook(): Look {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => look,
  );
}

function paint(): void {
  const { dataset } = document.documentElement;
  const asked = matchMedia("(prefers-contrast: more)").matches;
  dataset["theme"] = look.scheme;
  dataset["contrast"] = look.contrast === "system" ? (asked ? "more" : "normal") : look.contrast;
}
