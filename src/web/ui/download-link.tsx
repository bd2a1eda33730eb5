// Downloads a file with fetch, because only the page can prove its login. In a recording it is an ordinary
// data: link.
import type { MouseEvent, ReactNode } from "react";
import { useApp } from "../app-context.ts";
import { useDownload } from "./use-download.ts";
import { Problem } from "./problem.tsx";

type DownloadLinkProps = {
  url: string;
  name: string;
  title?: string;
  className?: string | undefined;
  children: ReactNode;
};

export function DownloadLink({ url, name, children, ...rest }: DownloadLinkProps) {
  const { api } = useApp();
  const { busy, problem, start } = useDownload(api);
  const isHere = url.startsWith("data:");
  const fetchIt = (event: MouseEvent) => {
    event.preventDefault();
    if (!busy) start(url, name);
  };
  const pressed = isHere ? {} : { onClick: fetchIt, onAuxClick: fetchIt, "aria-busy": busy };
  return (
    <>
      <a {...rest} {...pressed} href={url} download={name}>
        {children}
      </a>
      <Problem text={problem} />
    </>
  );
}
