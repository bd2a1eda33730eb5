// Selects the profile of an admin page; hidden if there is only one.
import { useState } from "react";
import { useApp } from "../app-context.ts";
import form from "../ui/form.module.css";
import { useSystemQuery } from "../use-query.ts";

export function useProfileChoice() {
  const { api } = useApp();
  const { value } = useSystemQuery(["profiles"], api.profiles);
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
