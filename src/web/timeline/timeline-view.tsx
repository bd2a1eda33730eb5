// The run against the clock.
export function TimelineView() {
  return null;
}
