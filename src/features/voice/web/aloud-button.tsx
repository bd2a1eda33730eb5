// Starts or stops reading aloud. Its width is constant, so nothing beside it moves.
import styles from "../../../web/transcript/items.module.css";
import { Button } from "../../../web/ui/button.tsx";
import type { Reading } from "./speaker.ts";

type AloudProps = { status: Reading["status"] | "none"; onPress: () => void };

export function AloudButton({ status, onPress }: AloudProps) {
  const isOn = status === "asking" || status === "speaking";
  return (
    <div className={styles.actions} data-reading={status}>
      <Button
        tone="quiet"
        icon={isOn ? "stop" : "speaker"}
        aria-label={isOn ? "Stop reading" : "Read aloud"}
        aria-busy={status === "asking"}
        onClick={onPress}
      >
        <span className={styles.aloud}>{isOn ? "Stop" : "Read aloud"}</span>
      </Button>
    </div>
  );
}
