// The console's settings: one object by section, with secrets as `{present}`; a change is a part of that object.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { SettingsView } from "../../kernel/api/records/settings.ts";
import { own } from "../../kernel/events/own.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
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
      const view = await settings.read();
      return both({ settings: snapshot(view), editable: editableIn(view) });
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
      refuseShown(sections);
      for (const [section, changes] of sections) {
        const [kind = "", subject] = section.split(":", 2);
        const about = { section: kind, subject: subject ?? null, changes };
        view = await settings.change(about, "console");
      }
      return both({ settings: snapshot(view), editable: editableIn(view) });
    });
  };
}

/** Sections that are there to be looked at. Checked first: of a change to several sections none is half done. */
const ONLY_SHOWN: Readonly<Record<string, string>> = {
  agent: "How much a model thinks is set where the model is served.",
  display: "Thoughts and tool calls are always shown.",
  keys: "Keys are entered in the page, or given in the environment: they are not sent through this API.",
};

function refuseShown(sections: readonly (readonly [string, unknown])[]): void {
  for (const [section] of sections) {
    const why = own(ONLY_SHOWN, section);
    if (why === undefined) continue;
    const message = `The section ${section} cannot be changed here. ${why}`;
    throw new ConsoleError("read_only_section", message, { section });
  }
}

/** What PATCH takes, by section. */
function editableIn({ sections }: SettingsView): Record<string, string[]> {
  const named = sections.map(({ section, subject, settings }) => [
    nameOf(section, subject),
    settings.filter(({ editable }) => editable).map(({ name }) => name),
  ]);
  return Object.fromEntries(named) as Record<string, string[]>;
}

function nameOf(section: string, subject: string | null): string {
  return subject === null ? section : `${section}:${subject}`;
}

/** Profiles as `profile:<name>`. */
function snapshot({ sections, keys }: SettingsView) {
  const named = sections.map(({ section, subject, settings }) => [
    nameOf(section, subject),
    Object.fromEntries(settings.map(({ name, value }) => [name, value])),
  ]);
  const present = keys.map(({ name, present: is }) => [name, { present: is }]);
  return { ...SHOWN, ...Object.fromEntries(named), keys: Object.fromEntries(present) };
}
