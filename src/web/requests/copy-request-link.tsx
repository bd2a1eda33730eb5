// Copies the link to one request.
import { CopyButton } from "../ui/copy-button.tsx";
import { pathOf } from "../use-route.ts";

export function CopyRequestLink({ requestId }: { requestId: string }) {
  const link = `${location.origin}${pathOf({ page: "approve", requestId })}`;
  return <CopyButton text={link} what="link to this" label="Copy link" />;
}
