/**
 * What the browser remembers between visits. Storage may be refused or full (private windows, quotas): the page then
 * works without remembering, which is all a preference is worth.
 */
export function readStored(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Whether the value was kept. */
export function writeStored(key: string, value: string | null): boolean {
  try {
    if (value === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** Stored JSON, or nothing when there is none or it is not what `check` accepts. */
export function readStoredJson<T>(
  key: string,
  check: (value: unknown) => value is T,
): T | undefined {
  const text = readStored(key);
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
