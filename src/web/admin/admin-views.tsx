// Which component draws which admin page; each is loaded on first use.
import { type ComponentType } from "react";
import { lazyPart } from "../ui/lazy-part.ts";
import { useAction } from "../keys/actions.ts";
import { navigate } from "../use-route.ts";
import { ADMIN_PAGES, type AdminPageName } from "./pages.ts";

export const ADMIN_VIEWS: Record<AdminPageName, ComponentType> = {
  cron: lazyPart(() => import("../../features/schedules/web/page.tsx"), "CronPage"),
  audit: lazyPart(() => import("../audit/audit-page.tsx"), "AuditPage"),
  logs: lazyPart(() => import("../../features/logs/web/logs-page.tsx"), "LogsPage"),
  insights: lazyPart(() => import("../../features/insights/web/insights-page.tsx"), "InsightsPage"),
  gateway: lazyPart(() => import("../../features/messengers/web/gateway-page.tsx"), "GatewayPage"),
  browser: lazyPart(() => import("../../features/browser/web/browser-page.tsx"), "BrowserPage"),
  memory: lazyPart(() => import("../../features/memory/web/memory-page.tsx"), "MemoryPage"),
  skills: lazyPart(() => import("../../features/skills/web/skills-page.tsx"), "SkillsPage"),
  settings: lazyPart(() => import("../settings/settings-page.tsx"), "SettingsPage"),
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
