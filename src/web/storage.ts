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

export function recallAll(prefix: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .flatMap((key) => recall(key) ?? []);
  } catch {
    return [];
  }
}
