// Above files of the past: that they are of then, and the way from one change to the next. On a phone the
// scrubber is behind the panel: without this, another moment would be three presses away.
import { Button } from "../../ui/button.tsx";
import { adjust } from "../../use-route.ts";
import { useChangeSteps } from "./change-steps.ts";
import { nameOf, visiblePath } from "../open-file.ts";
import styles from "../files-panel.module.css";

/** `path`: the file that is open. */
export function HistoryBar({ path, search }: { path: string | undefined; search: boolean }) {
  const { earlier, later } = useChangeSteps(path);
  const of = path === undefined ? "any file" : visiblePath(nameOf(path));
  return (
    <div className={styles.past}>
      <p>
        {search
          ? "Found in the files as they are now."
          : "As it was at this moment. What no tool of this session changed is as it is now."}
      </p>
      <div className={styles.steps}>
        <Step to={earlier} title={`Before the last change of ${of}`} words="Earlier change" />
        <Step to={later} title={`After the next change of ${of}`} words="Later change" />
        <Button tone="quiet" icon="play" onClick={() => adjust({ at: undefined })}>
          Now
        </Button>
      </div>
    </div>
  );
}

type StepProps = { to: number | null; title: string; words: string };

function Step({ to, title, words }: StepProps) {
  const go = () => to !== null && adjust({ at: to });
  return (
    // Not disabled: whoever pressed it until there was nothing more would lose the focus.
    <Button tone="quiet" aria-disabled={to === null} title={title} onClick={go}>
      {words}
    </Button>
  );
}
