// The calls for what profiles remember.
import type { ChangedMemory, MemoryTarget, ProfileMemory } from "./records.ts";
import type { ProfilesView } from "../../kernel/api/records/records.ts";
import type { Calls } from "../../kernel/client/api.ts";

export function memoryCalls({ get, post }: Calls) {
  const at = (profile: string) => `/api/profiles/${encodeURIComponent(profile)}/memory`;
  return {
    profiles: async (signal?: AbortSignal) =>
      (await get<ProfilesView>("/api/profiles", signal)).profiles,
    memory: (profile: string, target: MemoryTarget, signal?: AbortSignal) =>
      get<ProfileMemory>(`${at(profile)}?target=${target}`, signal),
    add: (profile: string, body: { target: MemoryTarget; text: string }) =>
      post<ChangedMemory>(`${at(profile)}/add`, body),
    replace: (profile: string, body: { target: MemoryTarget; old: string; text: string }) =>
      post<ChangedMemory>(`${at(profile)}/replace`, body),
    remove: (profile: string, body: { target: MemoryTarget; old: string }) =>
      post<ChangedMemory>(`${at(profile)}/remove`, body),
  };
}
