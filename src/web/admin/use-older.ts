// Older pages below the newest one, loaded on demand. New entries on top do not shift them.
import { useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";

type Paging<Page, Entry> = {
  readonly ask: (before: number) => Promise<Page>;
  readonly entriesOf: (page: Page) => readonly Entry[];
};

export function useOlder<
  Page extends { readonly next: number | null },
  Entry extends { seq: number },
>(newest: Page | null, { ask, entriesOf }: Paging<Page, Entry>) {
  const [pages, setPages] = useState<readonly Page[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const last = pages.at(-1) ?? newest;
  const top = (newest && entriesOf(newest).at(-1)?.seq) ?? 0;
  const entries = pages.flatMap(entriesOf).filter(({ seq }) => seq < top);
  const read = () => {
    if (last?.next == null) return;
    ask(last.next).then(
      (page) => {
        setPages((before) => [...before, page]);
        setProblem(null);
      },
      (error: unknown) => setProblem(toApiFailure(error).message),
    );
  };
  return { entries, problem, read, more: last?.next != null };
}
