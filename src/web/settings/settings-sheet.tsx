// Settings of a session from its next run on. Every part saves by itself, so one refusal loses nothing else.
import type { SheetProps } from "../session/sheet-host.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { Compress } from "./compress.tsx";
import { GoalForm } from "./goal-form.tsx";
import { ModelForm } from "./model-form.tsx";
import { SessionSkills } from "../../features/skills/web/session-skills.tsx";
import { YoloSwitch } from "./yolo-switch.tsx";

export function SettingsSheet({ sessionId, onClose }: SheetProps<"settings">) {
  return (
    <Sheet title="Session settings" onClose={onClose}>
      <ModelForm sessionId={sessionId} />
      <GoalForm sessionId={sessionId} />
      <YoloSwitch sessionId={sessionId} />
      <SessionSkills sessionId={sessionId} />
      <Compress sessionId={sessionId} />
    </Sheet>
  );
}
