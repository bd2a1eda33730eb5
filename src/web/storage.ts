// localStorage that may be full, forbidden or cleared at any time without breaking the page.

export function remember(key: string, value: string | null): void {
  try {
    if (value === null || value === "") localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Private windows and full disks: the page works, but forgets.
  }
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function rememberedKeys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

/** Changes by other tabs, one key at a time; clearing everything is not reported. */
export function onRemembered(listener: (key: string, value: string | null) => void): () => void {
  const emit = ({ key, newValue, storageArea }: StorageEvent) => {
    if (key !== null && isLocal(storageArea)) {
      listener(key, newValue);
    }
  };
  window.addEventListener("storage", emit);
  return () => window.removeEventListener("storage", emit);
}

function isLocal(area: Storage | null): boolean {
  try {
    return area === localStorage;
  } catch {
    return false;
  }
}
