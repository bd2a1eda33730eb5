// A session that was imported: the recording it was made of, read once and shown as what it is.
import { useEffect, useMemo, useState } from "react";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import { recordedFile, type RecordedFile } from "../client/file.ts";
import { openRecorded } from "../client/store.ts";
import { AppContext, useApp } from "../../../web/app-context.ts";
import type { SessionRoute } from "../../../web/use-route.ts";
import { Reading } from "../../../web/views/reading.tsx";
import { recordedApi } from "./recorded-app.ts";
import { Recorded } from "./recorded-stage.tsx";
import styles from "./recorded.module.css";

type Read = { file: RecordedFile } | { problem: string } | null;

export function ImportedSession({ route }: { route: SessionRoute }) {
  const { sessionId } = route;
  const { api } = useApp();
  const [read, setRead] = useState<Read>(null);
  useEffect(() => {
    const stop = new AbortController();
    api
      .download(`/api/sessions/${encodeURIComponent(sessionId)}/recording`, stop.signal)
      .then(async (answer) => setRead({ file: recordedFile(await answer.text(), sessionId) }))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setRead({ problem: toApiFailure(error).message });
      });
    return () => stop.abort();
  }, [api, sessionId]);
  if (read === null) return <Reading />;
  if ("problem" in read) {
    return (
      <p className={styles.problem} role="alert">
        {read.problem}
      </p>
    );
  }
  return <Shown file={read.file} route={route} />;
}

function Shown({ file, route }: { file: RecordedFile; route: SessionRoute }) {
  const app = useApp();
  const { sessionId } = route;
  const store = useMemo(() => openRecorded(sessionId, file.events), [sessionId, file]);
  const here = useMemo(() => ({ ...app, api: recordedApi(file) }), [app, file]);
  return (
    <AppContext value={here}>
      <Recorded file={file} store={store} route={route} />
    </AppContext>
  );
}
