// Background processes and what they print.
export function ProcessesPanel() {
  return null;
}
