// The activity feed.
export function HudPanel() {
  return null;
}
