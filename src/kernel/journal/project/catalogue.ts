// What a journal knows of the features that store something in it: which of their events the system log may hold, and
// which lists follow from events. The list of features is src/features/journal-features.ts. A journal that is opened
// without one of them would leave that feature's lists behind, so opening one requires the list.
import { own } from "../../events/own.ts";
import {
  systemCatalogue,
  type AnyDraft,
  type SystemEventSchema,
} from "../../events/system-events.ts";
import type { Statement } from "../sql.ts";
import { projectSystemLog } from "./system-log.ts";
import type { Placed, ProjectedLog, Projection, Projections } from "./projections.ts";
import { projectRequests } from "./requests.ts";
import { projectRuns } from "./runs.ts";
import { projectSessions } from "./sessions.ts";

export type JournalFeature = {
  readonly events?: readonly SystemEventSchema[];
  /** Runs after the kernel's projections, and those of features listed earlier, of the same event. */
  readonly projections?: Projections;
};

export type Catalogue = ReturnType<typeof systemCatalogue> & {
  /** The projections of an event, in order. */
  readonly project: (log: ProjectedLog, draft: AnyDraft, place: Placed) => readonly Statement[];
};

const NOTHING: readonly Statement[] = [];

export function catalogueOf(features: readonly JournalFeature[]): Catalogue {
  const house = systemCatalogue(features.flatMap(({ events = [] }) => events));
  let projections: Projections = {
    ...projectSessions,
    ...projectRuns,
    ...projectRequests,
    ...projectSystemLog(house.types),
  };
  for (const { projections: added = {} } of features) {
    projections = { ...projections, ...behind(projections, added) };
  }
  return {
    ...house,
    project: (log, draft, place) =>
      own(projections, draft.type)?.(log, draft.payload as never, place) ?? NOTHING,
  };
}

function behind(all: Projections, added: Projections): Projections {
  const both = Object.entries(added).map(([type, next]): [string, Projection] => {
    const first = own(all, type);
    return [type, first ? (...event) => [...first(...event), ...next(...event)] : next];
  });
  return Object.fromEntries(both);
}
