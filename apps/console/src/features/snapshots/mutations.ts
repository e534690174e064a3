import { useMutation } from "@tanstack/react-query";
import { saveFile } from "@mainstay/ui/export/save-file.ts";
import { download } from "#lib/download.ts";

export interface SnapshotWanted {
  kind: "topology" | "config";
  id: string;
  name: string;
  /** How far back: `15m`, `1d`. */
  start: string;
  withRelated: boolean;
}

export interface Fetching {
  signal: AbortSignal;
  onProgress: (bytes: number) => void;
}

/** As long as the server makes one. */
const timeoutMs = 10 * 60_000;

/** Signs that no file system takes in a name. */
const inNoName = /[\p{Cc}\p{Cf}/\\:*?"<>|]/gu;

/** Fetches a snapshot and hands it to the browser as a file. */
export const useSnapshot = () =>
  useMutation({
    mutationFn: async ({
      kind,
      id,
      name,
      start,
      withRelated,
      ...rest
    }: SnapshotWanted & Fetching) => {
      const query = new URLSearchParams({ start, related: String(withRelated) });
      const path = `/api/snapshot/${kind}/${encodeURIComponent(id)}?${query.toString()}`;
      const zip = await download(path, { ...rest, timeoutMs });
      saveFile(`${name.replaceAll(inNoName, "_").slice(0, 200)}-snapshot.zip`, zip);
    },
    // The dialog says it.
    meta: { speaksForItself: true },
  });
