// Whether there is anything to record with: a browser that can, on a page it trusts, and a microphone. What comes
// and goes with a plug comes and goes here too.
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let isThere = false;
let isWatched = false;

export function useMicrophone(): boolean {
  return useSyncExternalStore(subscribe, () => isThere);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  watch();
  return () => listeners.delete(listener);
}

/** Over plain HTTP from elsewhere there is no `mediaDevices`, whatever the types say. */
function watch(): void {
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (isWatched || !devices || typeof MediaRecorder === "undefined") return;
  isWatched = true;
  const look = () => void lookAgain(devices);
  devices.addEventListener("devicechange", look);
  look();
}

async function lookAgain(devices: MediaDevices): Promise<void> {
  const found = await devices.enumerateDevices().catch(() => []);
  const now = found.some(({ kind }) => kind === "audioinput");
  if (now === isThere) return;
  isThere = now;
  for (const listener of listeners) listener();
}
