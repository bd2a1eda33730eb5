// A link in a terminal says whatever a program wrote: where it leads is shown, and a person decides.
import { useEffect, useRef } from "react";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { Button } from "../../../web/ui/button.tsx";
import { CopyButton } from "../../../web/ui/copy-button.tsx";
import styles from "./terminal.module.css";

export function LinkQuestion({ address, done }: { address: string | null; done: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (address !== null) box.current?.focus();
  }, [address]);
  if (address === null) return null;
  const leads = webAddress(address);
  return (
    <div ref={box} tabIndex={-1} className={styles.link} role="group" aria-label="Open the link?">
      <code>{visibleLine(leads ?? address)}</code>
      {leads === null ? (
        <span className="hint">Only web addresses are opened from here.</span>
      ) : (
        <Button
          onClick={() => {
            window.open(leads, "_blank", "noopener,noreferrer");
            done();
          }}
        >
          Open
        </Button>
      )}
      <CopyButton text={leads ?? address} what="the address" />
      <Button tone="quiet" onClick={done}>
        Not now
      </Button>
    </div>
  );
}

function webAddress(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : null;
}
