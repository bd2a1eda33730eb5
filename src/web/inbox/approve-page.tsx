// One request, by its link.
export function ApprovePage({ requestId }: { requestId: string }) {
  return <p>{requestId}</p>;
}
