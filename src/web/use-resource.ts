// A resource opened on mount and closed on unmount. In an effect, because React may render without mounting.
import { useEffect, useState } from "react";

/** `open` must be stable: a new one closes the old resource. */
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
