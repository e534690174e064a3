/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** One step of RFC 6902. */
export type Operation =
  | { op: "add" | "replace"; path: string; value: Json }
  | { op: "remove"; path: string };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const pointer = (path: string, key: string | number) =>
  `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
const keysOf = (path: string) =>
  path
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

/** With more steps a patch is longer than what it makes. */
const mostSteps = 50_000;

/** The steps of RFC 6902 that make `after` of `before`, with nothing tested; one, where they would be too many. */
export function patchBetween(before: Json, after: Json): Operation[] {
  const steps: Operation[] = [];
  compare(before, after, "", steps);
  return steps.length > mostSteps ? [{ op: "replace", path: "", value: after }] : steps;
}

function compare(before: Json, after: Json, path: string, steps: Operation[]): void {
  if (steps.length > mostSteps) return;
  if (isObject(before) && isObject(after)) return compareObjects(before, after, path, steps);
  if (isList(before) && isList(after)) return compareLists(before, after, path, steps);
  if (!isSame(before, after)) steps.push({ op: "replace", path, value: after });
}

function compareObjects(
  before: JsonObject,
  after: JsonObject,
  path: string,
  steps: Operation[],
): void {
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) steps.push({ op: "remove", path: pointer(path, key) });
  for (const [key, value] of Object.entries(after))
    if (Object.hasOwn(before, key)) compare(before[key]!, value, pointer(path, key), steps);
    else steps.push({ op: "add", path: pointer(path, key), value });
}

/** What both begin and end with stays; what lies between is compared place by place. */
function compareLists(
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  steps: Operation[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const old = before.length - end;
  const now = after.length - end;
  for (let at = start; at < Math.min(old, now); at += 1)
    compare(before[at]!, after[at]!, pointer(path, at), steps);
  for (let at = old - 1; at >= now && steps.length <= mostSteps; at -= 1)
    steps.push({ op: "remove", path: pointer(path, at) });
  for (let at = old; at < now && steps.length <= mostSteps; at += 1)
    steps.push({ op: "add", path: pointer(path, at), value: after[at]! });
}

/** What the steps make of a value, which is left as it is. @throws when a step leads nowhere */
export const applyPatch = (value: Json, steps: readonly Operation[]): Json =>
  applySteps(structuredClone(value), steps);

/** The same in the value itself, which belongs to nobody else: of many patches of a large value each would copy it. */
export function applySteps(value: Json, steps: readonly Operation[]): Json {
  let root = value;
  for (let at = 0; at < steps.length; at += 1) {
    const step = steps[at]!;
    const keys = keysOf(step.path);
    const last = keys.pop();
    if (last === undefined) {
      root = step.op === "remove" ? null : step.value;
      continue;
    }
    const holder = keys.reduce<Json | undefined>((within, key) => child(within, key), root);
    if (isList(holder) && last !== "-") at += changeList(holder as Json[], steps, at) - 1;
    else change(holder, last, step);
  }
  return root;
}

/** Elements that are moved along at once: each is an argument of a call. */
const mostMoved = 10_000;

/**
 * Follows a step within a list, and with it those after it that add or take away next to it: one by one each would move
 * all that comes after. How many they were.
 */
function changeList(list: Json[], steps: readonly Operation[], from: number): number {
  const first = steps[from]!;
  const slash = first.path.lastIndexOf("/") + 1;
  const [holder, start] = [first.path.slice(0, slash), Number(first.path.slice(slash))];
  if (first.op === "replace") {
    list[start] = first.value;
    return 1;
  }
  const way = first.op === "add" ? 1 : -1;
  const values: Json[] = [];
  let many = 0;
  for (; many < mostMoved; many += 1) {
    const step = steps[from + many];
    if (step?.op !== first.op || step.path !== `${holder}${start + way * many}`) break;
    if (step.op === "add") values.push(step.value);
  }
  if (many === 0) throw new Error(`The patch leads to ${first.path}, where nothing is.`);
  if (first.op === "add") list.splice(start, 0, ...values);
  else list.splice(start - many + 1, many);
  return many;
}

const child = (value: Json | undefined, key: string): Json | undefined =>
  isList(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined;

function change(holder: Json | undefined, key: string, step: Operation): void {
  if (isList(holder)) {
    if (step.op === "add") (holder as Json[]).push(step.value);
  } else if (isObject(holder)) {
    const object = holder as Record<string, Json>;
    if (step.op === "remove") delete object[key];
    else
      Object.defineProperty(object, key, {
        value: step.value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  } else throw new Error(`The patch leads to ${step.path}, where nothing is.`);
}

/** The patch of RFC 7396 that makes `after` of `before`; what it removes is null in it. */
export function mergePatchBetween(before: Json, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after;
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(([key, value]) => !isSame(before[key], value));
  return Object.fromEntries([
    ...removed.map((key) => [key, null] as const),
    ...changed.map(([key, value]) => {
      const old = Object.hasOwn(before, key) ? before[key]! : null;
      return [key, isObject(old) ? mergePatchBetween(old, value) : value] as const;
    }),
  ]);
}
