// An imported session: its recording, read once.
import { useMemo } from "react";
import { recordedFile, type RecordedFile } from "../client/file.ts";
import { openRecorded } from "../client/store.ts";
import { AppContext, useApp } from "../../../web/app-context.ts";
import { useQuery } from "../../../web/use-query.ts";
import type { SessionRoute } from "../../../web/use-route.ts";
import { Reading } from "../../../web/views/reading.tsx";
import { recordedApi } from "./recorded/app.ts";
import { Recorded } from "./recorded/stage.tsx";

export function ImportedSession({ route }: { route: SessionRoute }) {
  const { sessionId } = route;
  const { api } = useApp();
  const { value: file, problem } = useQuery([sessionId], async (signal) => {
    const path = `/api/sessions/${encodeURIComponent(sessionId)}/recording`;
    return recordedFile(await (await api.download(path, signal)).text(), sessionId);
  });
  if (problem !== null) {
    return (
      <p className="p-away text-center" role="alert">
        {problem}
      </p>
    );
  }
  return file ? <Shown file={file} route={route} /> : <Reading />;
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
