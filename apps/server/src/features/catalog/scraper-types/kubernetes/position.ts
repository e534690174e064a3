import { defaultWatch, type KubernetesScraper } from "@mainstay/contract";
import { z } from "zod";
import type { Kind } from "#platform/kubernetes/kinds.ts";
import type { Json } from "../../changes/json-patch.ts";
import type { Quiet } from "./event-change.ts";
import type { Wanted } from "./wanted.ts";

/** Where a scrape stood: what happens from then on is followed kind by kind. */
const positionShape = z.object({
  kinds: z.array(
    z.object({
      kind: z.string(),
      apiVersion: z.string(),
      plural: z.string(),
      isNamespaced: z.boolean(),
      at: z.string(),
    }),
  ),
  leftOut: z.array(z.string()),
  quiet: z.record(z.string(), z.object({ types: z.string(), severities: z.string() })),
  /** The uids of objects of other kinds that were looked at because an event is about them. */
  named: z.array(z.string()).default([]),
});
export type Followed = z.output<typeof positionShape>["kinds"][number];

export const readPosition = (position: Json) => positionShape.parse(position);

/** The kinds that a document wants to be looked at between scrapes. */
export function watchedBy({ watch = [...defaultWatch] }: KubernetesScraper) {
  return (kind: Kind): boolean =>
    watch.some(
      (one) =>
        one.apiVersion === kind.apiVersion && one.kind.toLowerCase() === kind.kind.toLowerCase(),
    );
}

/** Objects that say something of their own changes are few; of more the first count. */
const mostQuiet = 1000;
/** Of more that events are about the last ones are remembered. */
const mostNamed = 2000;

export function positionOf(
  kinds: ReadonlyMap<Kind, string>,
  {
    wanted,
    quiet,
    named = new Set(),
  }: { wanted: Wanted; quiet: Quiet; named?: ReadonlySet<string> },
): Json {
  const followed = [...kinds].filter(([, at]) => at !== "");
  return {
    kinds: followed.map(([{ kind, apiVersion, plural, isNamespaced }, at]) => ({
      kind,
      apiVersion,
      plural,
      isNamespaced,
      at,
    })),
    leftOut: [...wanted.leftOut],
    quiet: Object.fromEntries([...quiet].slice(0, mostQuiet)),
    named: [...named].slice(-mostNamed),
  };
}
