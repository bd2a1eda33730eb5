// What was done to files, and taking it back.
export function ChangesPanel() {
  return null;
}
