export interface Snapshot {
  id: string;
  time: Date;
  hostname: string;
  paths: string[];
}

const textsOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, 20) : [];

const textOf = (value: unknown, most: number) =>
  typeof value === "string" ? value.slice(0, most) : "";

/** What `restic snapshots --json` prints, the newest first; nothing when it is something else. */
export function readSnapshots(text: string): Snapshot[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() || "[]");
  } catch {
    return undefined;
  }
  if (value === null) return [];
  if (!Array.isArray(value)) return undefined;
  return (value as Record<string, unknown>[])
    .map((one) => ({
      id: textOf(one?.short_id ?? one?.id, 64),
      time: new Date(textOf(one?.time, 64)),
      hostname: textOf(one?.hostname, 253),
      paths: textsOf(one?.paths),
    }))
    .filter(({ time }) => !Number.isNaN(time.getTime()))
    .toSorted((a, b) => b.time.getTime() - a.time.getTime());
}
