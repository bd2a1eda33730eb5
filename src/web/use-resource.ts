// Something that is opened when it appears on the screen and closed when it goes. Opened in an effect,
// because React may render without ever showing, and what nobody shows nobody would close.
import { useEffect, useState } from "react";

/** `open` must keep its identity: a new one closes the old resource and opens another. */
export function useResource<Resource extends { close: () => void }>(
  open: () => Resource,
): Resource | null {
  const [resource, setResource] = useState<Resource | null>(null);
  useEffect(() => {
    const opened = open();
    // oxlint-disable-next-line react/set-state-in-effect -- it exists only from here on
    setResource(opened);
    return () => opened.close();
  }, [open]);
  return resource;
}
