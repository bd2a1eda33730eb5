// Which models can be requested. An unknown name is refused: another model in its place would be a silent fallback.
import type { FastifyPluginAsync } from "fastify";
import type { AppDeps } from "../../kernel/server/app.ts";
import { V1Error } from "./v1-error.ts";

/** The agent as it is configured, under the names clients know such servers by. */
const AGENTS: ReadonlySet<string> = new Set(["hermes-agent", "quarterdeck"]);

type Listed = {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
};

export function v1Models(deps: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/models", async () => ({ object: "list", data: await listed(deps) }));
    for (const path of ["/models/:model", "/models/:model/:rest"]) {
      app.get(path, async ({ params }) => {
        const { model, rest } = params as { model: string; rest?: string };
        const id = rest === undefined ? model : `${model}/${rest}`; // not every client encodes the slash
        const found = (await listed(deps)).find((each) => each.id === id);
        if (!found) throw unknownModel(id);
        return found;
      });
    }
  };
}

async function listed({ info, defaults }: AppDeps): Promise<Listed[]> {
  const names = (await info.models()).map(({ provider, id }) => `${provider}/${id}`);
  const ids = new Set([...AGENTS, defaults.model, ...names]);
  return [...ids].map((id) => ({
    id,
    object: "model",
    created: 0, // nobody knows
    owned_by: AGENTS.has(id) ? "quarterdeck" : (id.split("/")[0] ?? ""),
  }));
}

/** As a session has it: "provider/model"; undefined: whatever the session or the profile says. */
export async function modelNamed(
  { info }: Pick<AppDeps, "info">,
  name: string | null | undefined,
): Promise<string | undefined> {
  if (name === undefined || name === null || AGENTS.has(name)) return undefined;
  if (name.includes("/")) return name;
  const known = (await info.models()).find(({ id }) => id === name);
  if (!known) throw unknownModel(name);
  return `${known.provider}/${known.id}`;
}

function unknownModel(name: string): V1Error {
  const message = `There is no model “${name.slice(0, 100)}” here. GET /v1/models lists them; “quarterdeck” is whatever is configured.`;
  return new V1Error(404, "model_not_found", message, "model");
}
