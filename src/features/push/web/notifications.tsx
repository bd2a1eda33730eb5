// The notification switch of this browser.
import { useId } from "react";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { usePush, type PushState } from "./use-push.ts";

const WORDS: Record<PushState["status"], string> = {
  asking: "Asking the browser…",
  unsupported:
    "This browser offers no notifications here. They need a secure address (https, or this machine) and, on phones, the installed app.",
  blocked:
    "The browser blocks notifications from this page. Allow them in its site settings first.",
  off: "Off. Turn them on to be notified when a run needs you or has finished, even while this page is closed.",
  on: "On for this browser.",
};

export function Notifications() {
  const id = useId();
  const push = usePush();
  const { status } = push;
  return (
    <section className={form.section} aria-labelledby={id} data-push={status}>
      <h2 id={id}>Notifications</h2>
      <p className={form.hint}>{WORDS[status]}</p>
      <Problem text={push.problem} />
      {push.emitted !== null && <p role="status">{push.emitted}</p>}
      {status === "off" && (
        <div>
          <Button icon="bell" disabled={push.busy} onClick={push.turnOn}>
            Turn on notifications
          </Button>
        </div>
      )}
      {status === "on" && (
        <div>
          <Button icon="bell" disabled={push.busy} onClick={push.test}>
            Send one now
          </Button>{" "}
          <Button disabled={push.busy} onClick={push.turnOff}>
            Turn off
          </Button>
        </div>
      )}
    </section>
  );
}
