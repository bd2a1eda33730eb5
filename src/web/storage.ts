// The browser's memory, which may be full, forbidden or cleared at any time: then it forgets, and
// nothing breaks.

export function remember(key: string, value: string | null): void {
  try {
    if (value === null || value === "") localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Private windows and full disks: the page works, it only remembers less.
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

/** What other pages remember or forget, one thing at a time; not that everything was cleared. */
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
