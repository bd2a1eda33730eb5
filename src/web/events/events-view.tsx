// The journal itself, event by event.
export function EventsView() {
  return null;
}
