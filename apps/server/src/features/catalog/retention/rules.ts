import {
  isInMatchList,
  parseDuration,
  parseMatchList,
  type Retention,
  type TypeRetention,
} from "@mainstay/contract";

const dayMs = 86_400_000;

/** Changes are kept so long, whatever documents say. Source: server contract, section 14. */
export const oldestChangeMs = 60 * dayMs;
/** Deleted items are kept so long where no document says otherwise. */
export const deletedItemMs = 7 * dayMs;

/** Which changes of a type are kept. */
export interface ChangeRule {
  ageMs: number;
  /** So many of the newest of each item. */
  count?: number;
}

/** What a document says of changes of a type; several rules for one all hold. */
export function changeRuleOf(retention: Retention | undefined, changeType: string): ChangeRule {
  const rules = (retention?.changes ?? []).filter(({ name }) => name === changeType);
  const ages = rules.flatMap(({ age }) => (age === undefined ? [] : [parseDuration(age)]));
  const counts = rules.flatMap(({ count }) => (count ? [count] : []));
  return {
    ageMs: Math.min(oldestChangeMs, ...ages),
    ...(counts.length > 0 && { count: Math.min(...counts) }),
  };
}

type TypeAge = "createdAge" | "updatedAge" | "deletedAge";

/** The ages that a document sets for items of a type, in milliseconds. */
function agesOf(retention: Retention | undefined, type: string, age: TypeAge): number[] {
  return (retention?.types ?? []).flatMap((rule) =>
    rule[age] !== undefined && isOf(rule, type) ? [parseDuration(rule[age])] : [],
  );
}

const isOf = ({ name }: TypeRetention, type: string) => isInMatchList(parseMatchList(name), type);

/** After how many milliseconds items are deleted; never where it is infinite. */
export interface ItemEnds {
  /** Since they were made. */
  createdMs: number;
  /** Since they were changed last. */
  updatedMs: number;
}

export const endsOf = (retention: Retention | undefined, type: string): ItemEnds => ({
  createdMs: Math.min(Number.POSITIVE_INFINITY, ...agesOf(retention, type, "createdAge")),
  updatedMs: Math.min(Number.POSITIVE_INFINITY, ...agesOf(retention, type, "updatedAge")),
});

/** How long deleted items of a type are kept. */
export function forgottenAfterMs(retention: Retention | undefined, type: string): number {
  const ages = agesOf(retention, type, "deletedAge");
  return ages.length > 0 ? Math.min(...ages) : deletedItemMs;
}
