// The calls for what profiles remember.
import { callsOf, type Calls } from "../../kernel/client/calls.ts";
import type { memoryApi } from "./api.ts";
import type { MemoryTarget } from "./records.ts";

export function memoryCalls(calls: Calls) {
  const call = callsOf<typeof memoryApi>(calls);
  return {
    memory: (profile: string, target: MemoryTarget, signal?: AbortSignal) =>
      call(
        "get /api/profiles/{profile}/memory",
        { params: { profile }, query: { target } },
        signal,
      ),
    add: (profile: string, body: { target: MemoryTarget; text: string }) =>
      call("post /api/profiles/{profile}/memory/add", { params: { profile }, body }),
    replace: (profile: string, body: { target: MemoryTarget; old: string; text: string }) =>
      call("post /api/profiles/{profile}/memory/replace", { params: { profile }, body }),
    remove: (profile: string, body: { target: MemoryTarget; old: string }) =>
      call("post /api/profiles/{profile}/memory/remove", { params: { profile }, body }),
  };
}
