// How this page looks and what it may do.
export function SettingsPage() {
  return null;
}
