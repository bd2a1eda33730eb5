// Selects the profile of an admin page; hidden if there is only one.
import { useState } from "react";
import { Select } from "../ui/form.tsx";
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
      <Select value={profile} values={profiles} onChange={choose} />
    </label>
  );
}
