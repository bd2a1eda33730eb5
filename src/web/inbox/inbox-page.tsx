// Everything that needs a person.
export function InboxPage() {
  return null;
}
