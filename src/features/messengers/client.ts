// The calls for messengers.
import type { messengersApi } from "./api.ts";
import type { ApprovePairing, DecidePairing, SetGatewayPlatform } from "./records.ts";
import { callsOf, type Calls } from "../../kernel/client/calls.ts";

export function gatewayCalls(calls: Calls) {
  const call = callsOf<typeof messengersApi>(calls);
  return {
    gateway: (signal?: AbortSignal) => call("get /api/gateway", {}, signal),
    setPlatform: (platform: string, body: SetGatewayPlatform) =>
      call("post /api/gateway/platforms/{platform}", { params: { platform }, body }),
    testPlatform: (platform: string) =>
      call("post /api/gateway/platforms/{platform}/test", { params: { platform } }),
    approve: (body: ApprovePairing) => call("post /api/gateway/pairing/approve", { body }),
    deny: (body: DecidePairing) => call("post /api/gateway/pairing/deny", { body }),
    revoke: (body: DecidePairing) => call("post /api/gateway/pairing/revoke", { body }),
  };
}
export type GatewayCalls = ReturnType<typeof gatewayCalls>;
