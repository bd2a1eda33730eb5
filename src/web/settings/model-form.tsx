// Model and profile of the next run: choose a known one or type another.
import { useId, useState } from "react";
import { useApp } from "../app-context.ts";
import { useLive } from "../session/use-session.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { Button } from "../ui/button.tsx";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import { useQuery } from "../use-query.ts";

export function ModelForm({ sessionId }: { sessionId: string }) {
  const { api } = useApp();
  const command = useMutation();
  const now = {
    model: useLive(({ session }) => session.model),
    profile: useLive(({ session }) => session.profile),
  };
  const [model, setModel] = useState(now.model);
  const [profile, setProfile] = useState(now.profile);
  const models = useModels();
  const profiles = useProfiles();
  const changed = {
    ...(model.trim() !== "" && model.trim() !== now.model && { model: model.trim() }),
    ...(profile.trim() !== "" && profile.trim() !== now.profile && { profile: profile.trim() }),
  };
  const save = () =>
    command.send(changed, (command_id) => api.updateSession(sessionId, { ...changed, command_id }));
  return (
    <form
      className={form.section}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h3>Model and profile</h3>
      <OfferedField
        label="Model, as provider/model"
        value={model}
        offers={models}
        onChange={setModel}
      />
      <OfferedField label="Profile" value={profile} offers={profiles} onChange={setProfile} />
      <p className={form.hint}>Applies from the next run.</p>
      <Problem text={command.problem} />
      <div className="row flex-wrap gap-m">
        <Button type="submit" disabled={command.busy || Object.keys(changed).length === 0}>
          Save
        </Button>
      </div>
    </form>
  );
}

type Known = { readonly name: string; readonly note: string };

const NONE: readonly Known[] = [];

/** Empty on failure: any name can still be typed. */
function useModels(): readonly Known[] {
  const { api } = useApp();
  const { value } = useQuery(["models"], async (signal) =>
    (await api.models(signal)).map(({ provider, id, contextWindow, priced }) => ({
      name: `${provider}/${id}`,
      note: [
        contextWindow !== null && `${contextWindow.toLocaleString("en")} tokens`,
        !priced && "price unknown",
      ]
        .filter(Boolean)
        .join(", "),
    })),
  );
  return value ?? NONE;
}

function useProfiles(): readonly Known[] {
  const { api } = useApp();
  const { value } = useQuery(["profiles"], async (signal) =>
    (await api.profiles(signal)).map((name) => ({ name, note: "" })),
  );
  return value ?? NONE;
}

type OfferedFieldProps = {
  label: string;
  value: string;
  offers: readonly Known[];
  onChange: (value: string) => void;
};

function OfferedField({ label, value, offers, onChange }: OfferedFieldProps) {
  const list = useId();
  return (
    <label className={form.field}>
      <span>{label}</span>
      <input value={value} list={list} onChange={(event) => onChange(event.target.value)} />
      <datalist id={list}>
        {offers.map(({ name, note }) => (
          <option key={name} value={name}>
            {visibleLine(`${name} ${note}`)}
          </option>
        ))}
      </datalist>
    </label>
  );
}
