// Which component draws which admin page; each is loaded on first use.
import { lazy, type ComponentType } from "react";
import { useAction } from "../keys/actions.ts";
import { navigate } from "../use-route.ts";
import { ADMIN_PAGES, type AdminPageName } from "./pages.ts";

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

/** Actions that open each admin page. */
export function AdminActions() {
  return ADMIN_PAGES.map(({ name, label }) => <AdminAction key={name} page={name} label={label} />);
}

function AdminAction({ page, label }: { page: AdminPageName; label: string }) {
  useAction({
    id: `go.${page}`,
    title: label,
    section: "Go to",
    ...(page === "settings" && { keys: ["g s"] }),
    run: () => navigate({ page }),
  });
  return null;
}
