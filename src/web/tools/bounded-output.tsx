// Output of any size: its beginning and end, with a link to all of it.
import type { ReactNode } from "react";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { useApp } from "../app-context.ts";
import { bytes } from "../text/format.ts";
import { DownloadLink } from "../ui/download-link.tsx";

type BoundedOutputProps = {
  output: NonNullable<ToolItem["output"]>;
  render: (text: string) => ReactNode;
};

export function BoundedOutput({ output, render }: BoundedOutputProps) {
  const { api } = useApp();
  if (!output.truncated) return render(output.head);
  const all = api.blobUrl(output.sha256 ?? ""); // empty: a recording that does not have it
  const shown = new TextEncoder().encode(output.head + output.tail).byteLength;
  return (
    <>
      {render(output.head)}
      <p className="flex gap-l p-tab hint">
        {bytes(Math.max(0, output.bytes - shown))} not shown
        {output.sha256 !== null && all !== "" && (
          <DownloadLink url={all} name={`${output.sha256.slice(0, 12)}.txt`}>
            Download all {bytes(output.bytes)}
          </DownloadLink>
        )}
      </p>
      {render(output.tail)}
    </>
  );
}
