// This browser's push subscription. Browser and server can disagree (restored server, cleared site data), so
// turning it on tells both.
import { useEffect, useState } from "react";
import { pushCalls } from "../client.ts";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import { useApp } from "../../../web/app-context.ts";
import { plural } from "../../../web/text/format.ts";

export type PushState = {
  readonly status: "asking" | "unsupported" | "blocked" | "off" | "on";
  readonly busy: boolean;
  readonly problem: string | null;
  readonly emitted: string | null;
};

const FIRST: PushState = { status: "asking", busy: false, problem: null, emitted: null };

export function usePush() {
  const { api } = useApp();
  const [state, setState] = useState(FIRST);
  const change = (next: Partial<PushState>) => setState((before) => ({ ...before, ...next }));

  useEffect(() => {
    const leaving = new AbortController();
    statusNow(async () => (await pushCalls(api.calls).push(leaving.signal)).subscriptions).then(
      (status) => !leaving.signal.aborted && change({ status }),
      (error: unknown) =>
        !leaving.signal.aborted && change({ status: "off", problem: toApiFailure(error).message }),
    );
    return () => leaving.abort();
  }, [api]);

  const carryOut = (work: () => Promise<Partial<PushState>>) => {
    change({ busy: true, problem: null, emitted: null });
    work().then(
      (next) => change({ busy: false, ...next }),
      (error: unknown) => change({ busy: false, problem: reasonOf(error) }),
    );
  };
  return {
    ...state,
    turnOn: () =>
      carryOut(async () => {
        const permission = await Notification.requestPermission();
        if (permission !== "granted")
          return { status: permission === "denied" ? "blocked" : "off" };
        const { public_key } = await pushCalls(api.calls).push();
        const { endpoint, keys } = await subscribe(public_key);
        await pushCalls(api.calls).subscribePush({
          endpoint,
          keys,
          label: navigator.userAgent.slice(0, 200),
        });
        return { status: "on" };
      }),
    turnOff: () =>
      carryOut(async () => {
        const known = await subscription();
        if (known) await pushCalls(api.calls).unsubscribePush(known.endpoint);
        await known?.unsubscribe();
        return { status: "off" };
      }),
    test: () =>
      carryOut(async () => {
        const { sent, failed } = await pushCalls(api.calls).testPush();
        const problem = failed.length === 0 ? null : failed.join(" ");
        return { emitted: `Sent to ${plural(sent, "browser")}.`, problem };
      }),
  };
}

type Known = () => Promise<readonly { endpoint: string }[]>;

async function statusNow(known: Known): Promise<PushState["status"]> {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) {
    return "unsupported";
  }
  if (Notification.permission === "denied") return "blocked";
  const own = await subscription();
  if (!own) return "off";
  return (await known()).some(({ endpoint }) => endpoint === own.endpoint) ? "on" : "off";
}

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

async function subscribe(publicKey: string) {
  const { pushManager } = await navigator.serviceWorker.ready;
  const made = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const { endpoint, keys = {} } = made.toJSON();
  const { p256dh = "", auth = "" } = keys;
  return { endpoint: endpoint ?? made.endpoint, keys: { p256dh, auth } };
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException) return `The browser refused: ${error.message}`;
  return toApiFailure(error).message;
}
