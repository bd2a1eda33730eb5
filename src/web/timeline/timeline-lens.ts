// The session against the clock, at any moment of it.
import { eventByEvent, type Lens } from "../../kernel/client/recording.ts";
import {
  applyToTimeline,
  emptyTimeline,
  type TimelineState,
} from "../../kernel/state/timeline/timeline.ts";

export const timelineLens: Lens<TimelineState> = {
  empty: emptyTimeline,
  apply: eventByEvent(applyToTimeline),
};
