// Registers the service worker, once the page has settled, and follows where a notification leads.
import { useEffect } from "react";
import { navigate, routeOf } from "../use-route.ts";

type ScriptPolicy = { createScriptURL: (url: string) => string };
type Factory = { createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy };

const WORKER = "/sw.js";

export function useServiceWorker(): void {
  useEffect(() => {
    if (!("serviceWorker" in navigator)) return; // an insecure address, or a browser without
    const { serviceWorker } = navigator;
    const onMessage = ({ data }: MessageEvent<{ open?: unknown }>) => {
      if (typeof data.open === "string") navigate(routeOf(data.open));
    };
    serviceWorker.addEventListener("message", onMessage);
    // Without it the page works; it is only not kept for when the server is away.
    serviceWorker.register(address(), { updateViaCache: "none" }).catch(() => undefined);
    return () => serviceWorker.removeEventListener("message", onMessage);
  }, []);
}

let registered: string | undefined;

/** The only script address this page makes, and it is a constant. */
function address(): string {
  const factory = (window as { trustedTypes?: Factory }).trustedTypes;
  registered ??=
    factory
      ?.createPolicy("quarterdeck-worker", { createScriptURL: () => WORKER })
      .createScriptURL(WORKER) ?? WORKER;
  return registered;
}
