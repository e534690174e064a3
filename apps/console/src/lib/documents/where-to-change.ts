import { isKeptInConsole, ownSource, placeOf } from "@mainstay/contract/sources.ts";

/** Where a document is changed that is not changed in a console; nothing for one that is. */
export function whereToChange(source: string | null): string | undefined {
  if (isKeptInConsole(source)) return undefined;
  return source === ownSource
    ? "By this document Mainstay watches itself. It follows the server's settings; deleted, it stays deleted."
    : `This document is changed where it comes from: ${placeOf(source)}.`;
}
