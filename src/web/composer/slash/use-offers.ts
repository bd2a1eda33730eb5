// Names of models and profiles for completion, asked for when somebody first types a slash.
import { useState } from "react";
import { useApp } from "../../app-context.ts";
import { useQuery } from "../../use-query.ts";
import type { Offers } from "./complete.ts";

const NONE: Offers = { models: [], profiles: [] };

/** Empty while unknown, and when the server cannot say: any name can be written all the same. */
export function useOffers(wanted: boolean): Offers {
  const { api } = useApp();
  const [asked, setAsked] = useState(wanted);
  if (wanted && !asked) setAsked(true);
  const { value } = useQuery(asked ? ["offers"] : null, async (signal): Promise<Offers> => {
    const [models, profiles] = await Promise.all([
      api.models(signal).catch(() => []),
      api.profiles(signal).catch(() => []),
    ]);
    return { models: models.map(({ provider, id }) => `${provider}/${id}`), profiles };
  });
  return value ?? NONE;
}
