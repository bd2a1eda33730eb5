// Downloads a file with fetch, so that a refusal can be shown.
import { useEffect, useRef, useState } from "react";
import type { Api } from "../../kernel/client/api.ts";
import { toApiFailure } from "../../kernel/client/api-failure.ts";

export type Download = {
  readonly busy: boolean;
  readonly received: number; // bytes
  readonly name: string | null; // of what was saved last
  readonly problem: string | null;
  /** Without a name, the server's is used. */
  readonly start: (path: string, name?: string) => void;
};
const IDLE = { busy: false, received: 0, name: null, problem: null };

export function useDownload(api: Pick<Api, "download">): Download {
  const [state, setState] = useState<Omit<Download, "start">>(IDLE);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const start = (path: string, called?: string) => {
    const { signal } = (stop.current = new AbortController());
    setState({ ...IDLE, busy: true });
    const onPart = (received: number) => setState({ ...IDLE, busy: true, received });
    save(api, path, { signal, onPart, called }).then(
      (name) => setState({ ...IDLE, name }),
      (error: unknown) => {
        if (!signal.aborted) setState({ ...IDLE, problem: toApiFailure(error).message });
      },
    );
  };
  return { ...state, start };
}

type Saving = {
  readonly signal: AbortSignal;
  readonly onPart: (received: number) => void;
  readonly called: string | undefined;
};

async function save(
  api: Pick<Api, "download">,
  path: string,
  { signal, onPart, called }: Saving,
): Promise<string> {
  const answer = await api.download(path, signal);
  const said = answer.headers.get("content-disposition") ?? "";
  const name = called ?? /filename="([^"]+)"/.exec(said)?.[1] ?? "quarterdeck.html";
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  const reader = answer.body?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    parts.push(read.value as Uint8Array<ArrayBuffer>);
    received += read.value.byteLength;
    onPart(received);
  }
  const url = URL.createObjectURL(new Blob(parts, { type: "application/octet-stream" }));
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser reads it after the press
  return name;
}
