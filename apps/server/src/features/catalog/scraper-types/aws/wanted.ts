import { type AwsScraper, isInMatchList, parseMatchList } from "@mainstay/contract";
import type { ScrapedItem } from "../../scraping/scraped.ts";
import type { AwsKind } from "./area.ts";

/** What is read besides items, under the names that documents have for it. */
export const besides = {
  cloudTrail: ["CloudTrail"],
  config: ["Config", "ConfigRule"],
  trustedAdvisor: ["TrustedAdvisor", "trusted_advisor"],
  patches: ["SSM", "Patch", "patch_states"],
} as const;

const alwaysRead = ["Account", "Region", "AvailabilityZone", "Regions"];

/** `EC2instance`, `ec2_instance` and `EC2 Instance` are one name. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, "");
const isNamed = (list: readonly string[] | undefined, names: readonly string[]) => {
  const said = new Set((list ?? []).map(plain));
  return names.some((name) => said.has(plain(name)));
};

export interface Wanted {
  kinds(all: readonly AwsKind[]): AwsKind[];
  /** Whether something besides items is wanted, when nothing else says so. */
  includes(names: readonly string[]): boolean;
  /** Whether it is said that something is not wanted, by any of its names. */
  excludes(names: readonly string[]): boolean;
  holds(item: ScrapedItem): boolean;
  /** Names in the document that mean nothing. */
  unknown(all: readonly AwsKind[]): string[];
}

/** What a document wants of everything that there is: `include`, `exclude` and `exclusions`. */
export function wantedBy({ include, exclude, exclusions = [] }: AwsScraper): Wanted {
  const isAll = !include?.length;
  const includes = (names: readonly string[]) =>
    !isNamed(exclude, names) && (isAll || isNamed(include, names));
  const matchers = exclusions.map(({ type, name, tags = {} }) => {
    const type_ = matcher(type);
    const name_ = matcher(name);
    const pairs = Object.entries(tags).map(([key, pattern]) => [key, matcher(pattern)] as const);
    const isEmpty = !type && !name && pairs.length === 0;
    return (item: ScrapedItem) =>
      !isEmpty &&
      type_(item.type) &&
      name_(item.name) &&
      pairs.every(([key, fits]) => {
        const value = item.labels[key] ?? item.tags[key];
        return value !== undefined && fits(value);
      });
  });
  return {
    kinds: (all) =>
      all.filter(({ names, types, isLeftOut }) => {
        const spellings = [...names, ...types];
        // What is left out by itself is read when it is named, or when the document says what else is not.
        if (isLeftOut && isAll && exclude === undefined) return false;
        return includes(spellings);
      }),
    includes,
    excludes: (names) => isNamed(exclude, names),
    holds: (item) => !matchers.some((fits) => fits(item)),
    unknown(all) {
      const known = new Set(
        [
          ...alwaysRead,
          ...Object.values(besides).flat(),
          ...all.flatMap(({ names, types }) => [...names, ...types]),
        ].map(plain),
      );
      // Leaving out what there is not does no harm.
      return (include ?? []).filter((name) => !known.has(plain(name)));
    },
  };
}

function matcher(pattern: string | undefined): (text: string) => boolean {
  if (!pattern) return () => true;
  const list = parseMatchList(pattern);
  return (text) => isInMatchList(list, text);
}
