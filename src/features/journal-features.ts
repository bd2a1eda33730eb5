// The one list of what features store in the journal. A deleted feature loses its line here; its tables stay, because
// migrations are one history.
import type { JournalFeature } from "../kernel/journal/project/catalogue.ts";
import { projectInsights } from "./insights/store/projection.ts";
import { GATEWAY_EVENTS } from "./messengers/events.ts";
import { projectGateway } from "./messengers/store/projection.ts";
import { CRON_EVENTS } from "./schedules/events.ts";
import { projectCron } from "./schedules/store/projection.ts";
import { projectSkills } from "./skills/store/projection.ts";

export const FEATURES: readonly JournalFeature[] = [
  { events: CRON_EVENTS, projections: projectCron },
  { events: GATEWAY_EVENTS, projections: projectGateway },
  { projections: projectSkills },
  { projections: projectInsights },
];
