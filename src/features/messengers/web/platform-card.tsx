// One messenger: its state, its problem, and its setup. Secrets are write-only.
import { useId, useState } from "react";
import type { GatewayCalls } from "../client.ts";
import type { GatewayPlatformView } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { Badge } from "../../../web/ui/badge.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { useMutation } from "../../../web/use-mutation.ts";
import styles from "./gateway-page.module.css";
import { STATE_LABELS } from "./gateway-labels.ts";
import { PlatformForm } from "./platform-form.tsx";

type CardProps = { platform: GatewayPlatformView; calls: GatewayCalls; refresh: () => void };

export function PlatformCard({ platform, calls, refresh }: CardProps) {
  const { platform: name, label, state, enabled, configured, account } = platform;
  const { tone, label: how } = STATE_LABELS[state];
  const [open, setOpen] = useState(false);
  const [emitted, setEmitted] = useState<string | null>(null);
  const { run, busy, problem } = useMutation();
  const id = useId();
  const test = async () => {
    const { works, account: found, problem: why } = await calls.testPlatform(name);
    setEmitted(works ? `It works: ${found ?? ""}` : `It does not work: ${why ?? ""}`);
  };
  return (
    <li className="stack gap-m p-xl card" data-platform={name} data-state={state}>
      <div className={styles.top}>
        <h3 id={id}>{label}</h3>
        <Badge tone={tone} status={state} dot>
          {how}
        </Badge>
        {state === "connected" && (
          <span className="hint break-anywhere">{visibleLine(account)}</span>
        )}
      </div>
      {platform.error_message !== null && <Problem text={visibleLine(platform.error_message)} />}
      {platform.undelivered > 0 && (
        <p className="hint break-anywhere">
          {platform.undelivered} messages were refused there or could not be handled.
        </p>
      )}
      {platform.turned_away > 0 && (
        <p className="hint break-anywhere" data-part="turned-away">
          The limit of codes is reached: {platform.turned_away} turned away within the hour. Let
          somebody in by adding their user id in the settings.
        </p>
      )}
      {platform.home_channel !== null && (
        <p className="hint break-anywhere">Home channel: {visibleLine(platform.home_channel)}</p>
      )}
      {!enabled && !configured && <Steps steps={platform.steps} />}
      <Problem text={problem} />
      {emitted !== null && <p role="status">{emitted}</p>}
      <div className="flex flex-wrap gap-m">
        <Button
          tone={configured && !enabled ? "primary" : "plain"}
          disabled={busy || (!enabled && !configured)}
          onClick={() => run(() => calls.setPlatform(name, { enabled: !enabled }).finally(refresh))}
        >
          {enabled ? "Switch off" : "Switch on"}
        </Button>
        <Button disabled={busy || !configured} onClick={() => run(() => test().finally(refresh))}>
          Test
        </Button>
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {configured ? "Settings" : "Set up"}
        </Button>
      </div>
      {open && <PlatformForm platform={platform} calls={calls} refresh={refresh} labelledBy={id} />}
    </li>
  );
}

function Steps({ steps }: { steps: readonly string[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}
