// The help: every key that works now, and those of the composer.
import { Sheet } from "../ui/sheet.tsx";
import type { Action, Section } from "./actions.ts";
import { Keys } from "./keys.tsx";
import styles from "./keys.module.css";

const SECTIONS: readonly Section[] = ["Page", "Go to", "Session", "Run", "View"];
const WRITING: readonly (readonly [keys: string, words: string])[] = [
  ["enter", "Send"],
  ["shift+enter", "New line"],
  ["mod+enter", "Send the other way: steer, or queue"],
  ["/", "Commands"],
  ["escape", "Stop the run"],
  ["escape escape", "Go back to an earlier message"],
];

type HelpProps = { actions: readonly Action[]; onClose: () => void };

export function Help({ actions, onClose }: HelpProps) {
  return (
    <Sheet title="Keyboard" size="wide" onClose={onClose}>
      {/* Focusable, so that the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles.help} role="region" aria-label="Keys" tabIndex={0}>
        <section>
          <h3>Message field</h3>
          <dl>
            {WRITING.map(([keys, words]) => (
              <div key={keys}>
                <dt>{words}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
        {SECTIONS.map((section) => (
          <HelpSection
            key={section}
            title={section}
            actions={actions.filter((action) => action.section === section && action.keys)}
          />
        ))}
      </div>
    </Sheet>
  );
}

function HelpSection({ title, actions }: { title: string; actions: readonly Action[] }) {
  if (actions.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {actions.map((action) => (
          <div key={action.id}>
            <dt>{action.title}</dt>
            <dd>
              {action.keys?.map((keys) => (
                <Keys key={keys} keys={keys} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
