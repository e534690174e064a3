import { setImmediate as giveWay } from "node:timers/promises";
import {
  isHealth,
  isInMatchList,
  type MatchList,
  parseMatchList,
  worstHealth,
} from "@mainstay/contract";
import { AppError } from "#platform/errors.ts";
import type { TopologyQuestion } from "./question.ts";
import { type Bone, keyOf } from "./skeleton.ts";

/** A component at one place of an answer; one that hangs on several has several. */
export interface Placed {
  bone: Bone;
  /** Everything that is known of it is told, not only what a card within a card shows. */
  isWhole: boolean;
  /** Absent in a flat answer. */
  below?: Placed[];
}

export interface Arranged {
  roots: Placed[];
  statuses: string[];
  teams: string[];
  types: string[];
  tags: Record<string, string[]>;
}

/** Places of one answer: a component that many share is told under each of them, which may be very many. */
const mostPlaces = 50_000;
/** Those at the top, and their children. */
const wholeLevels = 2;

/** Which components an answer has, and where. Other work gets its turn between the steps. @throws tooLarge */
export async function arrange(
  bones: readonly Bone[],
  question: TopologyQuestion,
): Promise<Arranged> {
  const { ids, withHidden, isFlat, isBrief } = question;
  const isOfType = filterOf(question.type);
  const asked = new Set(ids);
  const known = new Map(bones.map((bone) => [bone.id, bone]));
  const keep = (isKept: (bone: Bone) => boolean) =>
    new Map(
      bones.filter((bone) => asked.has(bone.id) || isKept(bone)).map((bone) => [bone.id, bone]),
    );
  const isSeen = (bone: Bone) => withHidden || !bone.isHidden;
  const kept = keep((bone) => isSeen(bone) && (isFlat || isOfType(named(bone.type))));
  await giveWay();
  const passes = passing(question);
  const isWanted = (bone: Bone) => asked.has(bone.id) || passes(bone);
  const compare = comparing(question);
  const tops = topsOf(kept, { known, asked, withHidden });
  await giveWay();
  const roots = isFlat
    ? // What is of a type counts however deep it stands, also below what is of none.
      [...(withHidden && asked.size === 0 ? kept : reached(tops, kept)).values()]
        .filter((bone) => asked.has(bone.id) || isOfType(named(bone.type)))
        .filter(isWanted)
        .toSorted(compare)
        .map((bone): Placed => ({ bone, isWhole: !isBrief }))
    : placed({
        tops: tops.filter(isWanted),
        kept,
        isWanted,
        compare,
        depth: question.depth,
        wholeLevels: isBrief ? 0 : wholeLevels,
      });
  await giveWay();
  return { roots, ...facets(bones) };
}

const named = (text: string | null) => (text === null ? [] : [text]);

function passing({ filters, labels }: TopologyQuestion): (bone: Bone) => boolean {
  const [status, owner, agent, team] = [
    filterOf(filters.status),
    filterOf(filters.owner),
    filterOf(filters.agent_id),
    filterOf(filters.team),
  ];
  const wanted = Object.entries(labels);
  return (bone) =>
    status([bone.status]) &&
    owner(named(bone.owner)) &&
    agent([bone.agentId]) &&
    team(bone.teams) &&
    wanted.every(
      ([key, values]) => Object.hasOwn(bone.labels, key) && values.includes(bone.labels[key]!),
    );
}

/** Whether some texts pass: one that is wanted is among them, and none that is not. */
function filterOf(filter: string | undefined): (texts: readonly string[]) => boolean {
  if (filter === undefined) return () => true;
  const list = parseMatchList(filter);
  const unwanted: MatchList = { include: [], exclude: list.exclude };
  return (texts) =>
    texts.length === 0
      ? list.include.length === 0
      : texts.every((text) => isInMatchList(unwanted, text)) &&
        texts.some((text) => isInMatchList(list, text));
}

/**
 * Where trees begin: at what is asked for, else at what has no parent among those that are kept. What a hidden one hides
 * does not begin a tree of its own; what is caught in a circle of parents does, or nobody would see it.
 */
function topsOf(
  kept: ReadonlyMap<string, Bone>,
  {
    known,
    asked,
    withHidden,
  }: { known: ReadonlyMap<string, Bone>; asked: ReadonlySet<string>; withHidden: boolean },
): Bone[] {
  if (asked.size > 0) return [...asked].flatMap((id) => kept.get(id) ?? []);
  const isBelowHidden = (bone: Bone) => {
    const been = new Set<string>();
    for (let at = bone.parentId; at !== null && !been.has(at);) {
      been.add(at);
      const parent = known.get(at);
      if (!parent) return false;
      if (parent.isHidden) return true;
      at = parent.parentId;
    }
    return false;
  };
  const tops = [...kept.values()].filter(
    (bone) =>
      (bone.parentId === null || !kept.has(bone.parentId)) && (withHidden || !isBelowHidden(bone)),
  );
  const seen = reached(tops, kept);
  for (const bone of kept.values()) {
    if (seen.has(bone.id) || (!withHidden && isBelowHidden(bone))) continue;
    tops.push(bone);
    reached([bone], kept, seen);
  }
  return tops;
}

/** Everything at and below some of them. */
function reached(
  from: readonly Bone[],
  kept: ReadonlyMap<string, Bone>,
  seen = new Map<string, Bone>(),
): Map<string, Bone> {
  const next = from.filter(({ id }) => !seen.has(id));
  for (const bone of next) seen.set(bone.id, bone);
  for (let bone = next.pop(); bone; bone = next.pop())
    for (const id of bone.children) {
      const child = kept.get(id);
      if (!child || seen.has(id)) continue;
      seen.set(id, child);
      next.push(child);
    }
  return seen;
}

function placed(parts: {
  tops: readonly Bone[];
  kept: ReadonlyMap<string, Bone>;
  isWanted: (bone: Bone) => boolean;
  compare: (a: Bone, b: Bone) => number;
  depth: number;
  wholeLevels: number;
}): Placed[] {
  const { kept, isWanted, compare, depth } = parts;
  const above = new Set<string>();
  let places = 0;
  // As many levels as are told, so it ends however they are tied.
  const at = (bones: readonly Bone[], level: number): Placed[] =>
    bones.toSorted(compare).map((bone) => {
      places += 1;
      if (places > mostPlaces)
        throw new AppError(
          "tooLarge",
          `These are more than ${mostPlaces} components: ask with a smaller depth, or for one of them.`,
        );
      above.add(bone.id);
      const children =
        level < depth
          ? bone.children.flatMap((id) => {
              const child = kept.get(id);
              // What hangs on itself is told once.
              return child && !above.has(id) && (level > 1 || isWanted(child)) ? [child] : [];
            })
          : [];
      const below = at(children, level + 1);
      above.delete(bone.id);
      return { bone, isWhole: level <= parts.wholeLevels, below };
    });
  return at(parts.tops, 1);
}

const collate = new Intl.Collator("en", { numeric: true }).compare;
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byPlace = (a: Bone, b: Bone) =>
  a.place - b.place || byText(a.nameKey, b.nameKey) || byText(a.id, b.id);

const ranks = ["unknown", "healthy", "warning", "unhealthy"];
const rankOf = ({ health, status }: Bone) =>
  ranks.indexOf(
    worstHealth([health, health === null ? status.toLowerCase() : null].filter(isHealth)),
  );

type Key = (bone: Bone) => number | string | null;
const keys: Record<string, Key> = {
  status: rankOf,
  name: ({ nameKey }) => nameKey,
  type: ({ type }) => type,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
};

/** What has no value stands last, whichever way it is sorted. */
function comparing({ order, isDescending }: TopologyQuestion): (a: Bone, b: Bone) => number {
  if (!order) return byPlace;
  const key: Key = "field" in order ? ({ field }) => field : keys[order.by]!;
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || byPlace(a, b);
    const compared =
      typeof x === "number" && typeof y === "number"
        ? x - y
        : byText(keyOf(String(x)), keyOf(String(y)));
    return sign * compared || byPlace(a, b);
  };
}

function facets(bones: readonly Bone[]): Omit<Arranged, "roots"> {
  const tags = new Map<string, Set<string>>();
  for (const { labels } of bones)
    for (const [key, value] of Object.entries(labels)) {
      const values = tags.get(key);
      if (values) values.add(value);
      else tags.set(key, new Set([value]));
    }
  const sorted = (texts: Iterable<string>) => [...new Set(texts)].toSorted(collate);
  return {
    statuses: sorted(bones.map(({ status }) => status)),
    teams: sorted(bones.flatMap(({ teams }) => teams)),
    types: sorted(bones.flatMap(({ type }) => named(type))),
    tags: Object.fromEntries(sorted(tags.keys()).map((key) => [key, sorted(tags.get(key)!)])),
  };
}
