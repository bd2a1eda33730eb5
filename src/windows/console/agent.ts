// The console's pages "Tools", "Models", "Profiles" and "MCP". Of an MCP server only the name leaves the profile: its
// command, variables and headers may hold secrets.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { SessionId } from "../../kernel/events/ids.ts";
import { own } from "../../kernel/events/own.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { profileOf } from "../../kernel/server/home-access.ts";
import type { ListedTool } from "../../kernel/server/routes/status.ts";
import { displayOf, type Toolset } from "../../kernel/state/tools/display.ts";
import { both, capability, ConsoleError, take } from "./envelopes.ts";
import { modelNames } from "./models.ts";

const Which = z.looseObject({ profile: z.string().min(1).max(64).optional() });
const Name = z.string().trim().max(300).nullish();
const Switch = z.looseObject({
  model: Name,
  provider: Name,
  global: z.boolean().nullish(),
  session_id: SessionId.nullish(),
});

const TOOLSETS: Record<Toolset, string> = {
  file: "Files",
  terminal: "Commands",
  planning: "Plans and questions",
  web: "Web",
  memory: "Memory and skills",
  delegation: "Subagents",
};

const setOf = (tool: string) => displayOf(tool).toolset ?? tool;

export function agentPages(deps: AppDeps): FastifyPluginAsync {
  const { info, homeFiles, defaults } = deps;
  const usual = defaults.profile ?? "default";
  const asked = (query: unknown) => take(Which, query).profile ?? usual;
  return async (app) => {
    app.get("/tools", async ({ query }) => {
      if (!info.tools) return unavailable("tools");
      return both({ tools: (await info.tools(asked(query))).map(toolView) });
    });
    app.get("/toolsets", async ({ query }) => {
      if (!info.tools) return unavailable("toolsets");
      return both({ toolsets: toolsets(await info.tools(asked(query))), platform: "cli" });
    });
    app.get("/models/active", async () => both(await activeModel(deps)));
    app.get("/models/catalog", async () => both(await catalog(deps)));
    app.post("/models/switch", async ({ body }) => switchModel(deps, take(Switch, body)));
    app.get("/profiles", async () => {
      const names = await info.profiles();
      const profiles = await Promise.all(names.map((name) => profileView(deps, name, usual)));
      return both({ profiles, active_profile: usual });
    });
    app.get("/mcp/servers", async ({ query }) => {
      if (!homeFiles) return unavailable("mcp");
      const { mcp } = await profileOf(homeFiles, asked(query));
      // Started with the run that needs one, and ended with it: nothing is connected between runs.
      const servers = Object.entries(mcp).map(([name, { transport }]) => {
        return {
          name,
          transport,
          enabled: true,
          connected: false,
          status: "on_demand",
          tools: null,
        };
      });
      return both({ servers, count: servers.length });
    });
  };
}

function unavailable(namespace: string) {
  return capability(`${namespace}_unavailable`, { namespace, method: "GET" });
}

function toolView({ name, description, parameters, enabled }: ListedTool) {
  const about = { name, toolset: setOf(name), description, parameters };
  return { ...about, requires_env: [], is_available: enabled };
}

function toolsets(tools: readonly ListedTool[]) {
  return [...Map.groupBy(tools, ({ name }) => setOf(name))].map(([key, of]) => ({
    key,
    label: own(TOOLSETS, key) ?? key,
    description: "",
    tools: of.map(({ name }) => name),
    tool_count: of.length,
    available: true,
    has_keys: true,
    enabled: of.some(({ enabled }) => enabled),
  }));
}

/** Of new sessions: what is set, also when this process began with another. */
async function modelName({ settings, defaults }: AppDeps): Promise<string> {
  const section = (await settings?.read())?.sections.find(({ section: name }) => name === "models");
  const value = section?.settings.find(({ name }) => name === "model")?.value;
  return typeof value === "string" && value !== "" ? value : defaults.model;
}

async function activeModel(deps: AppDeps) {
  const name = await modelName(deps);
  const { provider, model } = modelNames(name);
  const known = (await deps.info.models()).find(
    (one) => one.provider === provider && one.id === model,
  );
  const context_window = known?.contextWindow ?? null;
  return { model, provider, provider_label: provider, full_name: name, context_window };
}

async function catalog(deps: AppDeps) {
  const { model: current_model, provider: current_provider } = await activeModel(deps);
  const byProvider = Map.groupBy(await deps.info.models(), ({ provider }) => provider);
  const providers = [...byProvider].map(([slug, models]) => ({
    slug,
    name: slug,
    is_current: slug === current_provider,
    is_user_defined: false,
    models: models.map(({ id }) => id),
    total_models: models.length,
    source: models[0]?.found ?? "",
  }));
  return { current_model, current_provider, current_provider_label: current_provider, providers };
}

/** Of one session, or of new ones. A name that nobody knows is refused: another model would be a silent fallback. */
async function switchModel(deps: AppDeps, { model, provider, session_id }: z.infer<typeof Switch>) {
  const { journal, settings, info } = deps;
  const before = await activeModel(deps);
  const models = await info.models();
  const [first = "", ...rest] = (model ?? "").split("/");
  const found = models.find(
    (one) =>
      (!provider || one.provider === provider) &&
      (!model || one.id === model || (one.provider === first && one.id === rest.join("/"))),
  );
  if (!found || (!model && !provider)) {
    const message = "There is no such model here. GET /models/catalog lists them.";
    throw new ConsoleError("invalid_request", message, { model: model ?? null });
  }
  const name = `${found.provider}/${found.id}`;
  if (session_id) {
    const outcome = await journal.commands.updateSession(session_id, { model: name });
    if (!outcome) throw new ConsoleError("session_not_found", "Session not found", { session_id });
  } else if (settings) {
    await settings.change(
      { section: "models", subject: null, changes: { model: name } },
      "console",
    );
  } else {
    return capability("settings_unavailable");
  }
  return both({
    new_model: found.id,
    model: found.id,
    provider: found.provider,
    provider_label: found.provider,
    provider_changed: found.provider !== before.provider,
    is_global: !session_id,
    context_window: found.contextWindow,
  });
}

async function profileView({ homeFiles }: AppDeps, name: string, usual: string) {
  const about = { name, is_default: name === "default", is_active: name === usual };
  // One that cannot be read is listed all the same.
  const profile = await homeFiles?.profiles.get(name).catch(() => undefined);
  const [provider = null, ...rest] = profile?.model?.split("/") ?? [];
  return {
    ...about,
    path: profile?.directory ?? null,
    model: rest.length > 0 ? rest.join("/") : null,
    provider,
    tools: profile?.tools ?? null,
    mcp_servers: Object.keys(profile?.mcp ?? {}),
    readable: profile !== undefined,
  };
}
