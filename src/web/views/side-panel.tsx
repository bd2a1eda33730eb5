// The side panel: a column if there is room, otherwise a sheet from below.
import { Suspense, useEffect, useRef, type ComponentType } from "react";
import { lazyPart } from "../ui/lazy-part.ts";
import { useAction } from "../keys/actions.ts";
import { useRecorded } from "../session/use-session.ts";
import { IconButton } from "../ui/button.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { adjust, PANELS, type PanelName } from "../use-route.ts";
import { Reading } from "./reading.tsx";
import styles from "./side-panel.module.css";
import { isComposing } from "../keys/composing.ts";

type Panel = {
  readonly room?: string; // that it goes with
  readonly label: string;
  readonly icon: IconName;
  readonly View: ComponentType;
};

const VIEWS: Record<PanelName, Panel> = {
  files: {
    label: "Files",
    icon: "file",
    View: lazyPart(() => import("../workspace/files-panel.tsx"), "FilesPanel"),
  },
  changes: {
    label: "Changes",
    icon: "pencil",
    View: lazyPart(() => import("../workspace/changes/changes-panel.tsx"), "ChangesPanel"),
  },
  processes: {
    label: "Processes",
    icon: "terminal",
    View: lazyPart(() => import("../workspace/processes/processes-panel.tsx"), "ProcessesPanel"),
  },
  hud: {
    room: "windows/hud",
    label: "Activity",
    icon: "bolt",
    View: lazyPart(() => import("../hud/panel.tsx"), "HudPanel"),
  },
  details: {
    label: "Details",
    icon: "list",
    View: lazyPart(() => import("../details/details-panel.tsx"), "DetailsPanel"),
  },
  terminal: {
    room: "features/terminals",
    label: "Terminal",
    icon: "prompt",
    View: lazyPart(() => import("../../features/terminals/web/panel.tsx"), "TerminalPanel"),
  },
};

export function SidePanel({ panel }: { panel: PanelName }) {
  const box = useRef<HTMLElement>(null);
  const { label, View } = VIEWS[panel];
  useEffect(() => {
    // Takes the focus if a person opened it, not if the address did.
    if (document.activeElement !== document.body) box.current?.focus();
    return () => document.getElementById("panel-button")?.focus();
  }, []);
  return (
    <>
      <div
        className={styles.scrim}
        aria-hidden="true"
        onClick={() => adjust({ panel: undefined })}
      />
      <aside
        ref={box}
        tabIndex={-1}
        className={styles.panel}
        aria-label={label}
        data-panel={panel}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.defaultPrevented || isComposing(event.nativeEvent))
            return;
          event.preventDefault(); // it closes this and stops nothing
          adjust({ panel: undefined });
        }}
      >
        <PanelHead panel={panel} />
        <div className="stack flex-1 min-h-0 scroll">
          <ErrorBoundary
            key={panel}
            fallback={() => <p role="alert">This panel broke. Close it and open it again.</p>}
          >
            <Suspense fallback={<Reading />}>
              <View />
            </Suspense>
          </ErrorBoundary>
        </div>
      </aside>
    </>
  );
}

function PanelHead({ panel }: { panel: PanelName }) {
  const isRecorded = useRecorded();
  return (
    <header className={styles.head}>
      <div className={styles.choice} role="group" aria-label="Panel">
        {PANELS.filter((name) => name !== "files" || !isRecorded).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === panel}
            aria-label={VIEWS[name].label}
            title={VIEWS[name].label}
            onClick={() => adjust({ panel: name })}
          >
            <Icon name={VIEWS[name].icon} />
            {name === panel && <span>{VIEWS[name].label}</span>}
          </button>
        ))}
      </div>
      <IconButton
        icon="close"
        label="Close the panel"
        onClick={() => adjust({ panel: undefined })}
      />
    </header>
  );
}

/** Actions that open the panel and its tabs. */
export function PanelActions({ panel }: { panel: PanelName | undefined }) {
  return (
    <>
      {PANELS.map((name, index) => (
        <PanelAction key={name} name={name} index={index} open={panel === name} />
      ))}
    </>
  );
}

function PanelAction({ name, index, open }: { name: PanelName; index: number; open: boolean }) {
  useAction({
    id: `panel.${name}`,
    title: `${open ? "Hide" : "Show"} ${VIEWS[name].label.toLowerCase()}`,
    section: "View",
    keys: [`mod+alt+${index + 1}`],
    run: () => adjust({ panel: open ? undefined : name }),
  });
  return null;
}
