// What the run is, what it used and what it plans.
export function DetailsPanel() {
  return null;
}
