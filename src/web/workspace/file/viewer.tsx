// A file: numbered lines, each with an address.
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useApp } from "../../app-context.ts";
import { highlight, languageOf } from "../../markdown/highlight.ts";
import { useWrap } from "../../markdown/wrap.ts";
import { bytes, plural } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Time } from "../../ui/time.tsx";
import { useResource } from "../../use-resource.ts";
import { adjust } from "../../use-route.ts";
import { useChangeSteps } from "../changes/change-steps.ts";
import { openPages, type FilePages, type FileState } from "./pages.ts";
import { FileEditor } from "./editor.tsx";
import { FileLines } from "./lines.tsx";
import { openFile } from "../open-file.ts";
import { useLate } from "../use-late.ts";
import { ViewerHead } from "../viewer-head.tsx";
import styles from "../viewer.module.css";

type FileViewerProps = {
  sessionId: string;
  path: string;
  line: number | undefined;
  /** Changes when the session changed this file. */
  version: number;
  /** The file after that event. */
  until: number | undefined;
  back: { readonly label: string; readonly go: () => void };
};
/** Inclusive. */
export type Range = { readonly from: number; readonly to: number };

export function FileViewer({ sessionId, path, line, version, until, back }: FileViewerProps) {
  const pages = useFilePages({ sessionId, path, until, version });
  const [editing, setEditing] = useState(false);
  const [wrap, toggleWrap] = useWrap();
  const [to, setTo] = useState<number | null>(null); // where a selection of several lines ends
  const range = rangeOf(line, to);
  const choose = (number: number, more: boolean) => {
    if (more && line !== undefined) setTo(number);
    else {
      setTo(null);
      openFile(path, number);
    }
  };
  const closed = useCallback(
    (saved: boolean) => {
      setEditing(false);
      if (saved) pages?.again();
    },
    [pages],
  );
  return (
    <section className="stack fill" aria-label="File">
      <ViewerHead
        path={path}
        pages={pages}
        range={range}
        back={back}
        wrap={wrap}
        onWrap={toggleWrap}
        onLine={(number) => choose(number, false)}
        editing={editing}
        onEdit={until === undefined ? () => setEditing(true) : null}
      />
      {editing && <FileEditor {...{ sessionId, path }} onClose={closed} />}
      {pages && !editing && (
        <Content {...{ pages, path, range, wrap }} isPast={until !== undefined} onChoose={choose} />
      )}
    </section>
  );
}

type ContentProps = {
  pages: FilePages;
  path: string;
  range: Range | null;
  wrap: boolean;
  isPast: boolean;
  onChoose: (line: number, more: boolean) => void;
};

function Content({ pages, path, range, wrap, isPast, onChoose }: ContentProps) {
  const state = useSyncExternalStore(pages.subscribe, pages.get);
  const isLate = useLate(state.info === null && state.problem === null);
  if (state.missing) return <Missing path={path} isPast={isPast} />;
  if (state.problem !== null) {
    return (
      <div className="stack items-start gap-m p-l muted">
        <Problem text={state.problem} />
        <Button icon="again" onClick={pages.again}>
          Try again
        </Button>
      </div>
    );
  }
  if (state.info === null)
    return isLate ? <p className="stack items-start gap-m p-l muted">Reading…</p> : null;
  const why = whyNothing(state);
  return (
    <>
      <Facts state={state} range={range} />
      {why !== null ? (
        <p className="stack items-start gap-m p-l muted">{why}</p>
      ) : (
        <FileLines
          key={wrap ? "wrap" : "scroll"} // heights are another matter
          {...{ pages, path, state, range, wrap, onChoose }}
        />
      )}
    </>
  );
}

/** The file does not exist at this moment: offers the moments where it does. */
function Missing({ path, isPast }: { path: string; isPast: boolean }) {
  const { earlier } = useChangeSteps(path);
  return (
    <div className="stack items-start gap-m p-l muted">
      <p role="status">
        {isPast ? "There was no such file at this moment." : "There is no such file."}
      </p>
      {!isPast && earlier !== null && (
        <Button icon="clock" onClick={() => adjust({ at: earlier })}>
          Show it as it was
        </Button>
      )}
    </div>
  );
}

function Facts({ state: { info, count }, range }: { state: FileState; range: Range | null }) {
  if (!info) return null;
  const lines = info.total_lines === null ? `over ${plural(count, "line")}` : plural(count, "line");
  return (
    <p className={styles.facts}>
      {!info.binary && `${lines} · `}
      {bytes(info.bytes)}
      {info.modified_at === null ? (
        " · as it was then"
      ) : (
        <>
          {" · changed "}
          <Time at={info.modified_at} />
        </>
      )}
      {range &&
        (range.to > range.from ? ` · lines ${range.from}–${range.to}` : ` · line ${range.from}`)}
    </p>
  );
}

function whyNothing({ info, count }: FileState): string | null {
  if (info?.binary) return "A binary file: there is no text to show.";
  return count === 0 ? "The file is empty." : null;
}

function rangeOf(line: number | undefined, to: number | null): Range | null {
  if (line === undefined) return null;
  const other = to ?? line;
  return { from: Math.min(line, other), to: Math.max(line, other) };
}

type PagesOf = Pick<FileViewerProps, "sessionId" | "path" | "until" | "version">;

/** One reader for all moments, so that content stays visible until the next is loaded. */
function useFilePages({ sessionId, path, until, version }: PagesOf): FilePages | null {
  const { api } = useApp();
  const moment = useRef(until);
  const open = useCallback(() => {
    const lang = languageOf(path);
    return openPages({
      read: (from, lines, signal) =>
        api.file(sessionId, { path, from, lines, until: moment.current }, signal),
      colour: (text) => (lang === "" ? null : highlight(text, lang)),
    });
  }, [api, sessionId, path]);
  const pages = useResource(open);
  const changed = useRef(version);
  useEffect(() => {
    if (moment.current === until && changed.current === version) return; // as when it was opened
    moment.current = until;
    changed.current = version;
    pages?.again();
  }, [pages, until, version]);
  return pages;
}
