import { maskAddress } from "../secrets/address-secrets.ts";
import { longestName } from "../documents/metadata.ts";

/** A check before it has a name for certain. */
export interface Nameable {
  type: string;
  /** Its place among the checks of its list. */
  index: number;
  namespace: string;
  /** As it was written; stored secrets may be placeholders. */
  spec: Readonly<Record<string, unknown>>;
}

export interface CheckName {
  name: string;
  /** Of a check without a name, the one that it had before endpoints made names; it keeps its row. */
  formerName?: string;
  /** An earlier check has the name that is written here. */
  isTold?: true;
}

/** Where a check looks, in the order in which its fields tell it. */
const telling = [
  "url",
  "endpoint",
  "domain",
  "addr",
  "host",
  "path",
  "bucket",
  "bucketName",
  "repository",
  "image",
  "query",
  "connection",
] as const;
/** Leaves room for what tells twins apart. */
const longestDerived = 200;

function endpointOf(spec: Nameable["spec"]): string | undefined {
  for (const key of telling) {
    const value = spec[key];
    if (typeof value !== "string" || value.trim() === "") continue;
    // The same whether a password in it is written out or a placeholder; the digest of an image looks like one.
    const told = key === "image" ? value.trim() : maskAddress(value.trim());
    const shown = told.replaceAll(/\s+/g, " ");
    return shown.length > longestDerived ? `${shown.slice(0, longestDerived - 1)}…` : shown;
  }
  return undefined;
}

const written = ({ name }: Nameable["spec"]) =>
  typeof name === "string" && name !== "" ? name : undefined;

/**
 * What the checks of a document are called. One without a name is called like what it looks at, else by type and place.
 * Of several with one name the first keeps it; the others are told apart by namespace, by what they look at, or by
 * number, so that none changes its name when a check that is not its twin does.
 */
export function nameChecks(checks: readonly Nameable[]): CheckName[] {
  const keyOf = ({ type }: Nameable, name: string) => JSON.stringify([type, name]);
  const first = new Map<string, Nameable>();
  const taken = new Set<string>();
  // What is written comes before what is made up, wherever it stands.
  for (const check of checks) {
    const name = written(check.spec);
    if (name === undefined || first.has(keyOf(check, name))) continue;
    first.set(keyOf(check, name), check);
    taken.add(keyOf(check, name));
  }
  return checks.map((check) => {
    const place = `${check.type}-${check.index}`;
    const endpoint = endpointOf(check.spec);
    const own = written(check.spec);
    const base = own ?? endpoint ?? place;
    const holder = first.get(keyOf(check, base));
    const isFree = holder === undefined || holder === check;
    if (isFree) first.set(keyOf(check, base), check);
    const name = isFree ? base : tellApart(base, check, holder, endpoint);
    taken.add(keyOf(check, name));
    const isRenamed = own === undefined && name !== place && !taken.has(keyOf(check, place));
    return {
      name,
      ...(isRenamed && { formerName: place }),
      ...(own !== undefined && !isFree && { isTold: true as const }),
    };
  });

  function tellApart(
    base: string,
    check: Nameable,
    holder: Nameable,
    endpoint: string | undefined,
  ): string {
    const beside = [
      check.namespace === holder.namespace ? undefined : check.namespace,
      endpoint === undefined || endpoint === base || endpoint === endpointOf(holder.spec)
        ? undefined
        : endpoint,
    ];
    const isFree = (name: string) => name.length <= longestName && !taken.has(keyOf(check, name));
    for (const one of beside) {
      const name = `${base} (${one})`;
      if (one !== undefined && isFree(name)) return name;
    }
    const short = base.slice(0, longestName - 8);
    for (let number = 2; ; number += 1) {
      const name = `${short} #${number}`;
      if (isFree(name)) return name;
    }
  }
}
