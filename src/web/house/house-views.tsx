// Which part of the program draws which page of the house; each is loaded when it is first opened.
import { lazy, type ComponentType } from "react";
import { useAction } from "../keys/actions.ts";
import { HOUSE_PAGES, navigate, type HousePageName } from "../use-route.ts";
import { HOUSE_WORDS } from "./house-words.ts";

export const HOUSE_VIEWS: Record<HousePageName, ComponentType> = {
  cron: lazy(async () => ({
    default: (await import("../../features/schedules/web/cron-page.tsx")).CronPage,
  })),
  audit: lazy(async () => ({ default: (await import("../audit/audit-page.tsx")).AuditPage })),
  logs: lazy(async () => ({
    default: (await import("../../features/logs/web/logs-page.tsx")).LogsPage,
  })),
  insights: lazy(async () => ({
    default: (await import("../../features/insights/web/insights-page.tsx")).InsightsPage,
  })),
  gateway: lazy(async () => ({
    default: (await import("../../features/messengers/web/gateway-page.tsx")).GatewayPage,
  })),
  browser: lazy(async () => ({
    default: (await import("../../features/browser/web/browser-page.tsx")).BrowserPage,
  })),
  memory: lazy(async () => ({
    default: (await import("../../features/memory/web/memory-page.tsx")).MemoryPage,
  })),
  skills: lazy(async () => ({
    default: (await import("../../features/skills/web/skills-page.tsx")).SkillsPage,
  })),
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
