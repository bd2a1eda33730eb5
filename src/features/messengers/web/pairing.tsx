// Pairing requests and paired people. Approving needs the code the person was given, because a name proves
// nothing.
import { useId, useState } from "react";
import type { GatewayCalls } from "../client.ts";
import type { GatewayPairingView, GatewayPersonView } from "../records.ts";
import { labelOf } from "../platforms.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { Time } from "../../../web/ui/time.tsx";
import { useMutation } from "../../../web/use-mutation.ts";
import styles from "./gateway-page.module.css";

type PairingProps = {
  pairing: GatewayPairingView;
  calls: GatewayCalls;
  refresh: () => void;
  isOn: boolean;
};

export function Pairing({ pairing, calls, refresh, isOn }: PairingProps) {
  const { pending, approved } = pairing;
  if (pending.length === 0 && approved.length === 0) {
    if (!isOn) return null;
    return (
      <p className="muted" data-part="nobody">
        Nobody is paired yet. Write to the bot: it answers with a code to enter here.
      </p>
    );
  }
  return (
    <section aria-labelledby="people">
      <h2 id="people" className={styles.heading}>
        People
      </h2>
      <ul className="stack gap-l plain-list" data-part="people">
        {pending.map((person) => (
          <Waiting key={keyOf(person)} person={person} calls={calls} refresh={refresh} />
        ))}
        {approved.map((person) => (
          <Approved key={keyOf(person)} person={person} calls={calls} refresh={refresh} />
        ))}
      </ul>
    </section>
  );
}

type PersonProps = { person: GatewayPersonView; calls: GatewayCalls; refresh: () => void };

function Waiting({ person, calls, refresh }: PersonProps) {
  const { platform, user_id } = person;
  const [code, setCode] = useState("");
  const { run, busy, problem } = useMutation();
  const id = useId();
  return (
    <li className={styles.person} data-state="pending">
      <Who person={person} />
      <form
        className={styles.code}
        onSubmit={(event) => {
          event.preventDefault();
          run(
            () => calls.approve({ platform, code }).finally(refresh),
            () => setCode(""),
          );
        }}
      >
        <label htmlFor={id}>The code they were given</label>
        <input
          id={id}
          value={code}
          autoComplete="off"
          spellCheck={false}
          placeholder="ABCDE-FGHJK"
          onChange={(event) => setCode(event.target.value)}
        />
        <Button type="submit" tone="primary" disabled={busy || code.trim() === ""}>
          Let in
        </Button>
        <Button
          disabled={busy}
          onClick={() => run(() => calls.deny({ platform, user_id }).finally(refresh))}
        >
          Deny
        </Button>
      </form>
      <Problem text={problem} />
    </li>
  );
}

function Approved({ person, calls, refresh }: PersonProps) {
  const { platform, user_id } = person;
  const { run, busy, problem } = useMutation();
  return (
    <li className={styles.person} data-state="approved">
      <Who person={person} />
      <Button
        tone="danger"
        disabled={busy}
        onClick={() => run(() => calls.revoke({ platform, user_id }).finally(refresh))}
      >
        Revoke
      </Button>
      <Problem text={problem} />
    </li>
  );
}

function Who({ person }: { person: GatewayPersonView }) {
  const { platform, user_id, user_name, state, updated_at } = person;
  return (
    <span className={styles.who}>
      <strong>{visibleLine(user_name) || "No name"}</strong>{" "}
      <span className="hint break-anywhere">
        {labelOf(platform)}, id {visibleLine(user_id)}; {state === "pending" ? "asked" : "let in"}{" "}
        <Time at={updated_at} />
      </span>
    </span>
  );
}

function keyOf({ platform, user_id }: GatewayPersonView): string {
  return `${platform} ${user_id}`;
}
