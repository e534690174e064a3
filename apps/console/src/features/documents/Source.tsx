import { Lock } from "lucide-react";
import { isKeptInConsole, ownSource } from "@mainstay/contract/sources.ts";

/** Where a document is changed that is not changed in a console; nothing for one that is. */
export function whereToChange(source: string | null): string | undefined {
  if (isKeptInConsole(source)) return undefined;
  return source === ownSource
    ? "By this document Mainstay watches itself. It follows the server's settings; deleted, it stays deleted."
    : `This document comes from ${source} and is changed there.`;
}

/** Where a document is kept; with a lock where that is not the console. */
export function Source({ source }: { source: string | null }) {
  const why = whereToChange(source);
  if (why === undefined) return <span className="text-muted">Console</span>;
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5" data-tooltip={why}>
      <Lock aria-label="Locked" size={14} strokeWidth={1.75} className="shrink-0 text-muted" />
      <span className="truncate">{source}</span>
    </span>
  );
}
