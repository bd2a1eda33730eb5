// Whose files a page of the house shows. Nothing to choose where there is one profile.
import { useCallback, useState } from "react";
import { memoryCalls } from "../../features/memory/client.ts";
import { useApp } from "../app-context.ts";
import form from "../ui/form.module.css";
import { useHouse } from "./use-house.ts";

export function useProfileChoice() {
  const { api } = useApp();
  const ask = useCallback((signal: AbortSignal) => memoryCalls(api.calls).profiles(signal), [api]);
  const { value } = useHouse(ask);
  const [chosen, setChosen] = useState("default");
  return { profile: chosen, profiles: value ?? [], choose: setChosen };
}

export function ProfileChoice({ profile, profiles, choose }: ReturnType<typeof useProfileChoice>) {
  if (profiles.length < 2) return null;
  return (
    <label className={form.field}>
      <span>Profile</span>
      <select value={profile} onChange={(event) => choose(event.target.value)}>
        {profiles.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
