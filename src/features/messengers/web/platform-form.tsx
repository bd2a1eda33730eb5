// The settings of a messenger: secrets, allowed people, home channel.
import { useState } from "react";
import { Form, Select, TextField } from "../../../web/ui/form.tsx";
import type { GatewayCalls } from "../client.ts";
import type { GatewayPlatformView } from "../records.ts";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { useMutation } from "../../../web/use-mutation.ts";
import styles from "./gateway-page.module.css";
import { idsIn, MODE_LABELS, MODES } from "./gateway-labels.ts";

type FormProps = {
  platform: GatewayPlatformView;
  calls: GatewayCalls;
  refresh: () => void;
  labelledBy: string;
};

export function PlatformForm({ platform, calls, refresh, labelledBy }: FormProps) {
  const { platform: name, kind } = platform;
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const [mode, setMode] = useState(platform.mode);
  const [sure, setSure] = useState(false);
  const [allow, setAllow] = useState(platform.allow.join("\n"));
  const [home, setHome] = useState(platform.home_channel ?? "");
  const { run, busy, problem } = useMutation();
  const opens = mode === "open" && platform.mode !== "open" && kind !== "webhook";
  const save = () => {
    const typed = Object.entries(secrets).filter(([, value]) => value !== "");
    const changes = {
      mode,
      allow: idsIn(allow),
      home_channel: home.trim() || null,
      ...(opens && { confirm_open: sure }),
      ...(typed.length > 0 && { secrets: Object.fromEntries(typed) }),
    };
    return calls.setPlatform(name, changes).finally(refresh);
  };
  return (
    <Form
      className={styles.form}
      aria-labelledby={labelledBy}
      onSubmit={() => run(save, () => setSecrets({}))}
    >
      <Secrets platform={platform} typed={secrets} onTyped={setSecrets} />
      <label className={form.field}>
        <span>Who may talk</span>
        <Select
          value={mode}
          values={MODES}
          labelOf={(each) => MODE_LABELS[each]}
          onChange={setMode}
        />
      </label>
      {opens && <Opening sure={sure} onSure={setSure} />}
      <TextField
        label="User ids that need no code, one per line"
        rows={2}
        value={allow}
        onChange={setAllow}
      />
      <TextField
        label="Home channel: where schedules deliver. Writing /home there sets it, too."
        value={home}
        autoComplete="off"
        onChange={setHome}
      />
      <Problem text={problem} />
      <div className="row flex-wrap gap-m">
        <Button type="submit" tone="primary" disabled={busy || (opens && !sure)}>
          Save
        </Button>
      </div>
    </Form>
  );
}

type Typed = Readonly<Record<string, string>>;
type SecretsProps = {
  platform: GatewayPlatformView;
  typed: Typed;
  onTyped: (typed: Typed) => void;
};

function Secrets({ platform, typed, onTyped }: SecretsProps) {
  return platform.secrets.map((secret) => (
    <label key={secret.name} className={form.field}>
      <span>
        {secret.label}
        {secret.fixed ? " (set by the environment)" : secret.present ? " (is set)" : ""}
      </span>
      <input
        type="password"
        autoComplete="off"
        disabled={secret.fixed}
        placeholder={secret.present ? "unchanged" : ""}
        value={typed[secret.name] ?? ""}
        onChange={(event) => onTyped({ ...typed, [secret.name]: event.target.value })}
      />
    </label>
  ));
}

type OpeningProps = { sure: boolean; onSure: (sure: boolean) => void };

function Opening({ sure, onSure }: OpeningProps) {
  return (
    <label className="stack gap-m p-l rounded warn-soft">
      <span>Everybody who finds this bot may then use your agent, with everything it may do.</span>
      <span className={form.check}>
        <input type="checkbox" checked={sure} onChange={(event) => onSure(event.target.checked)} />
        I want that
      </span>
    </label>
  );
}
