// Where a content is found by a window: an address of ours that names its hash, never a place on a disk.

export function mediaAddress(sha256: string): string {
  return `/api/media/${sha256}`;
}

/** The hash in whatever we called such an address; undefined: it is none of ours. */
export function hashInAddress(address: string): string | undefined {
  return /^(?:blob:|\/api\/(?:media|blobs)\/)?([0-9a-f]{64})$/.exec(address)?.[1];
}
