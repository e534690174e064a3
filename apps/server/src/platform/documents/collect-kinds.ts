import { isCalled } from "@mainstay/contract";
import type { Feature } from "../feature.ts";
import type { DocumentKind } from "./document-kind.ts";

/** The kinds of documents of all features; each has its words to itself. */
export function collectKinds(features: readonly Feature[]): readonly DocumentKind[] {
  const kinds = features.flatMap((feature) => feature.documents ?? []);
  const taken = new Set<string>();
  for (const { format } of kinds)
    for (const word of new Set(
      [format.kind, format.name, format.plural].map((text) => text.toLowerCase()),
    )) {
      if (taken.has(word)) throw new Error(`Two kinds of documents are called "${word}".`);
      taken.add(word);
    }
  return kinds;
}

/** The kind that a word means. */
export const findKind = (kinds: readonly DocumentKind[], word: string): DocumentKind | undefined =>
  kinds.find(({ format }) => isCalled(format, word));
