// An API key: whether it is set and for which address. Write-only.
import { useState, type FormEvent } from "react";
import type { KeyRecord } from "../../kernel/api/records/settings.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import form from "../ui/form.module.css";
import styles from "./server-settings.module.css";

const NAMES: Readonly<Record<string, string>> = {
  model: "API key (custom endpoint)",
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  web_search: "Web search",
  transcription: "Speech to text",
  speech: "Text to speech",
};

type Give = (name: string, value: string | null) => Promise<string | null>;

export function KeyRow({ record, onGive }: { record: KeyRecord; onGive: Give }) {
  const { name, present, source, address } = record;
  const [value, setValue] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const give = async (next: string | null) => {
    const refused = await onGive(name, next);
    setProblem(refused);
    if (refused === null) setValue("");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() !== "") void give(value.trim());
  };
  return (
    <form className={styles.row} data-key={name} onSubmit={submit}>
      <label htmlFor={`key-${name}`} className="bold">
        {NAMES[name] ?? name}
      </label>
      <p className={form.hint}>{stateOf(record)}</p>
      {source !== "environment" && (
        <div className={styles.field}>
          <input
            id={`key-${name}`}
            type="password"
            autoComplete="off"
            value={value}
            disabled={address === null}
            placeholder={
              address === null ? "Enter the base URL first" : present ? "Another key" : "API key"
            }
            onChange={(event) => setValue(event.target.value)}
          />
          {value !== "" && (
            <Button type="submit" tone="primary">
              Save key
            </Button>
          )}
          {present && (
            <Button type="button" tone="quiet" onClick={() => void give(null)}>
              Forget it
            </Button>
          )}
          <Problem text={problem} />
        </div>
      )}
    </form>
  );
}

function stateOf({ present, source, origin, used, address }: KeyRecord): string {
  if (!present) return address ? `Not set. Only ever sent to ${address}.` : "Not set.";
  if (source === "environment") return `Given in the environment, for ${address ?? "its address"}.`;
  return used
    ? `Set, for ${origin} only.`
    : `Set for ${origin}, and not sent to ${address ?? "anywhere"}. Enter it anew to use it there.`;
}
