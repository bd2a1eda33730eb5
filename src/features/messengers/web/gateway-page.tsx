// Messengers: which are connected, who asks for access, and who has it. Updates with the system log.
import { useMemo } from "react";
import { gatewayCalls } from "../client.ts";
import { useApp } from "../../../web/app-context.ts";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { useSystemQuery } from "../../../web/use-query.ts";
import { Problem } from "../../../web/ui/problem.tsx";
import styles from "./gateway-page.module.css";
import { Pairing } from "./pairing.tsx";
import { PlatformCard } from "./platform-card.tsx";

export function GatewayPage() {
  return (
    <AdminPage name="gateway">
      <p className="muted">
        Talk to your agent from a messenger. Each chat is a session of its own: its replies come
        there, and what needs your approval comes with buttons.
      </p>
      <Messengers />
    </AdminPage>
  );
}

function Messengers() {
  const { api } = useApp();
  const calls = useMemo(() => gatewayCalls(api.calls), [api]);
  const { value, problem, refresh } = useSystemQuery(["messengers"], calls.gateway);
  if (!value) return problem ? <Problem text={problem} /> : <p>Loading…</p>;
  const isOn = value.platforms.some(({ enabled }) => enabled);
  return (
    <>
      <Problem text={problem} />
      {isOn && !value.running && (
        <p className="p-l rounded warn-soft" role="status">
          No gateway is running. <code>npm start</code> starts one; <code>quarterdeck gateway</code>{" "}
          does so by itself.
        </p>
      )}
      <Pairing pairing={value.pairing} calls={calls} refresh={refresh} isOn={isOn} />
      <section aria-labelledby="platforms">
        <h2 id="platforms" className={styles.heading}>
          Platforms
        </h2>
        <ul className="stack gap-l plain-list">
          {value.platforms.map((platform) => (
            <PlatformCard
              key={platform.platform}
              platform={platform}
              calls={calls}
              refresh={refresh}
            />
          ))}
        </ul>
      </section>
    </>
  );
}
