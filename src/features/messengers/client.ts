// The calls for messengers.
import type {
  ApprovePairing,
  DecidePairing,
  GatewayPlatformView,
  GatewayTested,
  GatewayView,
  PairingDone,
  SetGatewayPlatform,
} from "./records.ts";
import type { Calls } from "../../kernel/client/api.ts";

export function gatewayCalls({ get, post }: Pick<Calls, "get" | "post">) {
  return {
    gateway: (signal?: AbortSignal) => get<GatewayView>("/api/gateway", signal),
    setPlatform: (platform: string, settings: SetGatewayPlatform) =>
      post<GatewayPlatformView>(`/api/gateway/platforms/${encodeURIComponent(platform)}`, settings),
    testPlatform: (platform: string) =>
      post<GatewayTested>(`/api/gateway/platforms/${encodeURIComponent(platform)}/test`, {}),
    approve: (asked: ApprovePairing) => post<PairingDone>("/api/gateway/pairing/approve", asked),
    deny: (asked: DecidePairing) => post<PairingDone>("/api/gateway/pairing/deny", asked),
    revoke: (asked: DecidePairing) => post<PairingDone>("/api/gateway/pairing/revoke", asked),
  };
}
export type GatewayCalls = ReturnType<typeof gatewayCalls>;
