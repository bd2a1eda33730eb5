// Names of models and profiles for completion, asked for when somebody first types a slash.
import { useEffect, useState } from "react";
import { useApp } from "../../app-context.ts";
import type { Offers } from "./complete.ts";

const NONE: Offers = { models: [], profiles: [] };

/** Empty while unknown, and when the server cannot say: any name can be written all the same. */
export function useOffers(wanted: boolean): Offers {
  const { api } = useApp();
  const [offers, setOffers] = useState<Offers>(NONE);
  const known = offers !== NONE;
  useEffect(() => {
    if (!wanted || known) return;
    const stop = new AbortController();
    Promise.all([
      api.models(stop.signal).catch(() => []),
      api.profiles(stop.signal).catch(() => []),
    ]).then(
      ([models, profiles]) => {
        if (stop.signal.aborted) return;
        setOffers({ models: models.map(({ provider, id }) => `${provider}/${id}`), profiles });
      },
      () => {},
    );
    return () => stop.abort();
  }, [api, wanted, known]);
  return offers;
}
