// Which part of the program draws which page of the house; each is loaded when it is first opened.
import { lazy, type ComponentType } from "react";
import { useAction } from "../keys/actions.ts";
import { HOUSE_PAGES, navigate, type HousePageName } from "../use-route.ts";
import { HOUSE_WORDS } from "./house-words.ts";

export const HOUSE_VIEWS: Record<HousePageName, ComponentType> = {
  cron: lazy(async () => ({ default: (await import("../cron/cron-page.tsx")).CronPage })),
  audit: lazy(async () => ({ default: (await import("../audit/audit-page.tsx")).AuditPage })),
  logs: lazy(async () => ({ default: (await import("../logs/logs-page.tsx")).LogsPage })),
  insights: lazy(async () => ({
    default: (await import("../insights/insights-page.tsx")).InsightsPage,
  })),
  gateway: lazy(async () => ({
    default: (await import("../gateway/gateway-page.tsx")).GatewayPage,
  })),
  browser: lazy(async () => ({
    default: (await import("../browser/browser-page.tsx")).BrowserPage,
  })),
  memory: lazy(async () => ({ default: (await import("../memory/memory-page.tsx")).MemoryPage })),
  skills: lazy(async () => ({ default: (await import("../skills/skills-page.tsx")).SkillsPage })),
  settings: lazy(async () => ({
    default: (await import("../settings/settings-page.tsx")).SettingsPage,
  })),
};

/** Each can be opened by name; the settings by key too. */
export function HouseActions() {
  return HOUSE_PAGES.map((page) => <HouseAction key={page} page={page} />);
}

function HouseAction({ page }: { page: HousePageName }) {
  useAction({
    id: `go.${page}`,
    title: HOUSE_WORDS[page].label,
    section: "Go to",
    ...(page === "settings" && { keys: ["g s"] }),
    run: () => navigate({ page }),
  });
  return null;
}
