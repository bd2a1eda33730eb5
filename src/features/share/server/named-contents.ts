// The contents that events name: files before and after a change, attachments, and outputs too long for an event.
// Of a command's checkpoint only what it changed is named: the whole workspace is nobody's recording.
import type { EventType, PayloadOf, RunEvent } from "../../../kernel/events/events.ts";
import { own } from "../../../kernel/events/own.ts";
import { toolPictures } from "../../../kernel/state/tool-pictures.ts";

export type NamedContent = { readonly sha256: string; readonly kind: "file" | "output" };
type Named = {
  readonly [Type in EventType]?: (payload: PayloadOf<Type>) => readonly NamedContent[];
};

const NAMED: Named = {
  "message.user": ({ attachments }) => attachments.flatMap(({ sha256 }) => file(sha256)),
  "files.changed": ({ changes }) =>
    changes.flatMap(({ before, after }) => [...file(before?.sha256), ...file(after?.sha256)]),
  "tool.done": ({ output: { sha256, truncated }, ...done }) => {
    const pictures = toolPictures(done);
    return [
      ...(truncated && sha256 !== null ? [{ sha256, kind: "output" as const }] : []),
      ...pictures.map((picture) => ({ sha256: picture.sha256, kind: "output" as const })),
    ];
  },
};

function file(sha256: string | undefined): NamedContent[] {
  return sha256 === undefined ? [] : [{ sha256, kind: "file" }];
}

export function namedContents(event: RunEvent): readonly NamedContent[] {
  const named = own(NAMED, event.type) as
    | ((payload: unknown) => readonly NamedContent[])
    | undefined;
  return named?.(event.payload) ?? [];
}
