// The defaults of a new session: the program's settings, with the model that its profile prefers.
import type { Defaults } from "../journal/journal.ts";
import type { AppDeps } from "./app.ts";

export async function defaultsFor(
  { defaults, profileModel }: Pick<AppDeps, "defaults" | "profileModel">,
  profile: string | undefined,
): Promise<Defaults> {
  const model = await profileModel(profile ?? defaults.profile ?? "default");
  return model === null ? defaults : { ...defaults, model };
}
