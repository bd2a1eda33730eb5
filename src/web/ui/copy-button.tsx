// Copies text and confirms it, or says that the clipboard was refused.
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

type State = "idle" | "copied" | "refused";
const LABEL: Record<State, string> = { idle: "Copy", copied: "Copied", refused: "Not allowed" };

type CopyButtonProps = { text: string; what: string; label?: string };

export function CopyButton({ text, what, label = LABEL.idle }: CopyButtonProps) {
  const [state, setState] = useState<State>("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 1_500);
    return () => clearTimeout(timer);
  }, [state]);

  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("refused"),
    );
  };
  return (
    <Button
      tone="quiet"
      icon={state === "copied" ? "check" : "copy"}
      onClick={copy}
      aria-label={state === "idle" ? `Copy ${what}` : LABEL[state]}
    >
      {state === "idle" ? label : LABEL[state]}
    </Button>
  );
}
