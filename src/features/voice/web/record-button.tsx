// Begins a recording, where there is something to record with. What records is loaded when it is pressed.
import { useAction } from "../../../web/keys/actions.ts";
import { Button } from "../../../web/ui/button.tsx";
import { useMicrophone } from "./microphone.ts";

export function RecordButton({ onPress }: { onPress: () => void }) {
  return useMicrophone() ? <Present onPress={onPress} /> : null;
}

function Present({ onPress }: { onPress: () => void }) {
  useAction({ id: "composer.record", title: "Record your voice", section: "Run", run: onPress });
  return (
    <Button
      tone="quiet"
      size="icon"
      icon="mic"
      aria-label="Record your voice"
      title="Record your voice"
      onClick={onPress}
    />
  );
}
