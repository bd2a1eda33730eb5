// Model names of the console: a bare name beside its provider, where the journal has "provider/model".
import type { AppDeps } from "../../kernel/server/app.ts";
import { defaultsFor } from "../../kernel/server/defaults.ts";
import { ConsoleError } from "./envelopes.ts";

/** The agent as it is configured, under the names clients know such servers by. */
const AGENTS: ReadonlySet<string> = new Set(["hermes-agent", "quarterdeck"]);

type Names = { readonly model: string; readonly provider: string };

export function modelNames(name: string): Names {
  const slash = name.indexOf("/");
  if (slash < 0) return { model: name, provider: "" };
  return { model: name.slice(slash + 1), provider: name.slice(0, slash) };
}

type Asked = {
  readonly model?: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly session_id?: string | null | undefined;
};

/**
 * As the journal names it; undefined: whatever the session has. A bare name is the session's own model, the one of new
 * sessions, or one of the catalogue. Of a provider that is served here any model can be asked for, listed or not. A
 * name that nobody serves is refused: another model in its place would be a silent fallback.
 */
export async function modelAsked(deps: AppDeps, asked: Asked): Promise<string | undefined> {
  const name = asked.model?.trim() ?? "";
  if (name === "" || AGENTS.has(name)) return undefined;
  const session = asked.session_id ? await deps.journal.reads.session(asked.session_id) : undefined;
  const { model: usual } = await defaultsFor(deps, session?.profile);
  const wanted = asked.provider ? `${asked.provider}/${name}` : name;
  const isIt = (full: string) => full === wanted || modelNames(full).model === wanted;
  const near = [session?.model ?? usual, usual].find(isIt);
  if (near !== undefined) return near;
  const listed = (await deps.info.models()).map(({ provider, id }) => `${provider}/${id}`);
  const found = listed.find((full) => full === wanted) ?? listed.find(isIt);
  if (found !== undefined) return found;
  const { provider } = modelNames(wanted);
  if ([usual, ...listed].some((full) => modelNames(full).provider === provider)) return wanted;
  const message = `Nobody here serves the model “${wanted.slice(0, 100)}”. GET /api/gui/models/catalog lists those that can be chosen; “hermes-agent” is the one that is configured.`;
  throw new ConsoleError("invalid_model", message, { model: wanted.slice(0, 200) });
}
