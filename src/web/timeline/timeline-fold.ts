// Folds the events of a session into its timeline.
import { eventByEvent, type Fold } from "../../kernel/client/recording.ts";
import {
  applyToTimeline,
  emptyTimeline,
  type TimelineState,
} from "../../kernel/state/timeline/timeline.ts";

export const timelineFold: Fold<TimelineState> = {
  empty: emptyTimeline,
  apply: eventByEvent(applyToTimeline),
};
