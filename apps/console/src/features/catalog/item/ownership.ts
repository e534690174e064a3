import { ownerKeys } from "@mainstay/contract/catalog-owners.ts";
import type { Item } from "./queries.ts";

/** Something that says who answers for an item, or what to do when it fails. */
export interface Pointer {
  /** As its label, annotation or property is called. */
  key: string;
  text: string;
  /** http and https alone. */
  url: string | undefined;
}

export interface Ownership {
  owners: readonly Pointer[];
  runbooks: readonly Pointer[];
  onCall: readonly Pointer[];
}

type Role = keyof Ownership;

/** The last word of a key, without what separates its parts: `backstage.io/on-call` is `oncall`. */
const words: Readonly<Record<string, Role>> = {
  ...(Object.fromEntries(ownerKeys.map((key) => [key, "owners"])) as Record<string, "owners">),
  runbook: "runbooks",
  runbookurl: "runbooks",
  runbooks: "runbooks",
  playbookurl: "runbooks",
  oncall: "onCall",
  oncallurl: "onCall",
  escalation: "onCall",
  pager: "onCall",
  pagerduty: "onCall",
};

const roleOf = (key: string): Role | undefined => {
  const last = key.slice(key.lastIndexOf("/") + 1);
  const plain = last.toLowerCase().replaceAll(/[^a-z]/g, "");
  return Object.hasOwn(words, plain) ? words[plain] : undefined;
};

/** An address that may be followed; whatever else a scraper has brought is text. */
export function safeUrl(text: string | null | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  if (!/^https?:\/\//i.test(trimmed)) return undefined;
  return URL.canParse(trimmed) ? new URL(trimmed).href : undefined;
}

function* said({
  labels,
  tags,
  annotations,
  properties,
}: Pick<Item, "labels" | "tags" | "annotations" | "properties">): Generator<
  [string, string, string?]
> {
  for (const pairs of [labels, tags, annotations])
    for (const [key, value] of Object.entries(pairs ?? {}))
      if (typeof value === "string") yield [key, value];
  for (const { name, label, text, links } of properties ?? []) {
    const key = name || label || "";
    if (text) yield [key, text];
    for (const link of links ?? [])
      if (link.url) yield [key, link.label || link.text || link.url, link.url];
  }
}

/** Who answers for an item, by its labels, tags, annotations and properties; each thing once. */
export function ownershipOf(item: Parameters<typeof said>[0]): Ownership {
  const found: Record<Role, Map<string, Pointer>> = {
    owners: new Map(),
    runbooks: new Map(),
    onCall: new Map(),
  };
  for (const [key, value, address] of said(item)) {
    const role = roleOf(key);
    const text = value.trim();
    if (role === undefined || text === "") continue;
    const url = safeUrl(address ?? text);
    if (!found[role].has(url ?? text)) found[role].set(url ?? text, { key, text, url });
  }
  return {
    owners: [...found.owners.values()],
    runbooks: [...found.runbooks.values()],
    onCall: [...found.onCall.values()],
  };
}
