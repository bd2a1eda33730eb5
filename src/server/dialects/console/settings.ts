// The console's settings: one object by section, with secrets as `{present}`; a change is a part of that object.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { SettingsView } from "../../../protocol/api-records-settings.ts";
import type { AppDeps } from "../../app.ts";
import { both, capability, ConsoleError, take } from "./envelopes.ts";

const Patch = z.record(z.string().max(64), z.record(z.string().max(64), z.json()));
/** What its client looks for and nobody here keeps: thoughts and tools are always shown. */
const SHOWN = {
  agent: { reasoning_effort: null },
  display: { show_reasoning: true, tool_progress: "all" },
};

export function settingsPages({ settings }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/settings", async () => {
      if (!settings) return capability("settings_unavailable");
      return both({ settings: snapshot(await settings.read()) });
    });
    app.patch("/settings", async ({ body }) => {
      if (!settings) return capability("settings_unavailable");
      const given = take(z.looseObject({}), body) as Record<string, unknown>;
      const wanted = Patch.safeParse(given["settings"] ?? given);
      const sections = wanted.success ? Object.entries(wanted.data) : [];
      if (sections.length === 0) {
        throw new ConsoleError("invalid_request", "Say what to change: {section: {name: value}}.");
      }
      let view = await settings.read();
      for (const [section, changes] of sections) {
        const [kind = "", subject] = section.split(":", 2);
        const about = { section: kind, subject: subject ?? null, changes };
        view = await settings.change(about, "console");
      }
      return both({ settings: snapshot(view) });
    });
  };
}

/** Profiles as `profile:<name>`. */
function snapshot({ sections, keys }: SettingsView) {
  const named = sections.map(({ section, subject, settings }) => [
    subject === null ? section : `${section}:${subject}`,
    Object.fromEntries(settings.map(({ name, value }) => [name, value])),
  ]);
  const present = keys.map(({ name, present: is }) => [name, { present: is }]);
  return { ...SHOWN, ...Object.fromEntries(named), keys: Object.fromEntries(present) };
}
