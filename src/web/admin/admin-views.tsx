// Which part of the program draws which page of the house; each is loaded when it is first opened.
import { lazy, type ComponentType } from "react";
import { useAction } from "../keys/actions.ts";
import { ADMIN_PAGES, navigate, type AdminPageName } from "../use-route.ts";
import { ADMIN_LABELS } from "./admin-labels.ts";

export const ADMIN_VIEWS: Record<AdminPageName, ComponentType> = {
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
export function AdminActions() {
  return ADMIN_PAGES.map((page) => <AdminAction key={page} page={page} />);
}

function AdminAction({ page }: { page: AdminPageName }) {
  useAction({
    id: `go.${page}`,
    title: ADMIN_LABELS[page].label,
    section: "Go to",
    ...(page === "settings" && { keys: ["g s"] }),
    run: () => navigate({ page }),
  });
  return null;
}
