// The admin pages in the order of their tabs, with their names. admin-views.tsx loads them.
import type { IconName } from "../ui/icon.tsx";

type AdminPage = {
  readonly name: string; // in addresses
  readonly label: string;
  readonly icon: IconName;
  readonly room?: string; // that it goes with
};

export const ADMIN_PAGES = [
  { name: "settings", label: "Settings", icon: "gear" },
  { name: "memory", label: "Memory", icon: "thought", room: "features/memory" },
  { name: "skills", label: "Skills", icon: "book", room: "features/skills" },
  { name: "cron", label: "Schedules", icon: "clock", room: "features/schedules" },
  { name: "gateway", label: "Messengers", icon: "thought", room: "features/messengers" },
  { name: "browser", label: "Browser", icon: "globe", room: "features/browser" },
  { name: "insights", label: "Insights", icon: "bars", room: "features/insights" },
  { name: "audit", label: "Audit", icon: "shield" },
  { name: "logs", label: "Logs", icon: "list", room: "features/logs" },
] as const satisfies readonly AdminPage[];
export type AdminPageName = (typeof ADMIN_PAGES)[number]["name"];
