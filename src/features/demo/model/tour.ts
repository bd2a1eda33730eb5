// The tour a newcomer gets for any prompt: every kind of thing a run can show, in about half a minute.
// It is a script like any other; the slow paragraph leaves time to kill the runner while it is being written.
import { parseScript, type Directive } from "./script.ts";

const TEXT = String.raw`
think A newcomer should see the whole workbench. I will make a plan with three steps, use real tools, ask one question, and be plain about being a script.
say Welcome aboard. My words come from a script, but the run around them is real: the tools really run, the approval really waits for you, and every event is written to the journal before you see it.
plan Show you around; Write a note; Ask two subagents; Run a command with your approval
step 1
say First a real file in your workspace.
write quarterdeck-tour/notes.md # Quarterdeck tour\n\n- Every run is an append-only journal.\n- Every screen is a window on that journal.\n- Kill any process: the same run goes on.\n
say I read it back, to be sure.
read quarterdeck-tour/notes.md
pace 115
say Now the part that matters, and I write it slowly on purpose. While these words appear, press "Kill the runner now". The process that is writing this sentence will be gone at once, in the middle of a sentence. Then watch: another runner takes over, this same run with this same id goes on, nothing that was on your screen is lost, and no tool is run a second time behind your back. You can also reload this page, or open it in a second window; each is only a window on the journal, so each shows the same thing. Still here? Then let us go on.
pace 25
clarify What would you like to see next to your runs? | The plan | The timeline | Surprise me
step 2
say Two subagents, side by side. Each is a run with a journal of its own.
together
delegate Lookout: pace 150 ;; think I look ahead. ;; say Lookout here: clear water ahead, nothing to report.
delegate Navigator: pace 150 ;; think I check the course. ;; say Navigator here: we are on course, three steps planned, two nearly done.
end
step 3
say Last, a command. It is harmless, but commands wait for your approval: you see exactly what will run, and it runs only if you allow it.
exec ls -la quarterdeck-tour && date
plan done
say That was the tour: thinking, a plan, files, a question, two subagents, a command with approval, and a run that outlives its process.
say To bring a real model, set QUARTERDECK_MODEL to anthropic/…, openai/… or google/… with the usual key, or to ollama/… or lmstudio/… without one, and start again; README.md has more. To script me yourself, see docs/demo-model.md.
`;

export const TOUR: readonly Directive[] = parseScript(TEXT) ?? [];
