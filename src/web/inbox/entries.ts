// Entries of the inbox: requests first, then failures. Pure.
import type { InboxRequest, InboxView, Trouble } from "../../kernel/api/records/records.ts";
import { isBudgetRequest } from "../../kernel/events/budget.ts";
import type { IconName } from "../ui/icon.tsx";

export type Entry =
  | {
      readonly kind: "request";
      readonly key: string;
      readonly icon: IconName;
      readonly word: string;
      readonly text: string; // what it is about
      readonly title: string; // of the session
      readonly at: number;
      readonly request: InboxRequest;
    }
  | {
      readonly kind: "trouble";
      readonly key: string;
      readonly icon: IconName;
      readonly word: string;
      readonly text: string;
      readonly title: string;
      readonly at: number;
      readonly trouble: Trouble;
    };

const REQUEST: Record<InboxRequest["kind"], { icon: IconName; word: string }> = {
  approval: { icon: "shield", word: "Approval" },
  clarify: { icon: "question", word: "Question" },
  unknown_outcome: { icon: "alert", word: "Unknown outcome" },
};
const BUDGET = { icon: "flag", word: "Budget reached" } as const;
const TROUBLE: Record<Trouble["status"], string> = { failed: "Failed", expired: "Expired" };

export function entriesOf(view: InboxView, dismissed: ReadonlySet<string>): Entry[] {
  const requests = view.requests.map((request): Entry => {
    const { request_id: key, session_title: title, created_at: at } = request;
    const about = isBudgetRequest(key) ? BUDGET : REQUEST[request.kind];
    return { kind: "request", key, ...about, text: request.prompt, title, at, request };
  });
  const troubles = view.troubles
    .filter(({ run_id }) => !dismissed.has(run_id))
    .map((trouble): Entry => {
      const { run_id: key, message: text, title, ended_at: at, status } = trouble;
      return {
        kind: "trouble",
        key,
        icon: "close",
        word: TROUBLE[status],
        text,
        title,
        at,
        trouble,
      };
    });
  return [...requests, ...troubles];
}

/** The entry that takes the place of a removed one. */
export function neighbour(
  before: readonly Entry[],
  after: readonly Entry[],
  key: string,
): string | null {
  const at = before.findIndex((entry) => entry.key === key);
  const still = new Set(after.map((entry) => entry.key));
  const next = before.slice(at + 1).find((entry) => still.has(entry.key));
  return (next ?? after.at(-1))?.key ?? null;
}
