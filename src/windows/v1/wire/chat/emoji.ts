import { own } from "../../../../kernel/events/own.ts";
// The little picture some windows put before a tool's name.
const EMOJI: Readonly<Record<string, string>> = {
  exec: "💻",
  process: "💻",
  read: "📖",
  write: "✍️",
  append: "✍️",
  edit: "🔧",
  search_files: "🔎",
  list_files: "📂",
  web_fetch: "🌐",
  web_search: "🔍",
  memory: "🧠",
  delegate: "🔀",
  clarify: "❓",
  plan: "📋",
  todo: "📋",
};

export function toolEmoji(name: string): string {
  return own(EMOJI, name) ?? "⚙️";
}
