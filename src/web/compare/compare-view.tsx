// Two runs side by side.
export function CompareView() {
  return null;
}
