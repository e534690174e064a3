import { useEffect, useSyncExternalStore } from "react";

/** Some of the marks of technologies, and where their pictures lie. They are fetched one by one, as shown. */
export interface MarkIndex {
  /** Names of pictures in colours of their own. */
  coloured: readonly string[];
  /** Names of pictures in one ink, which takes the colour of the text. */
  inked: readonly string[];
  addressOf: (name: string) => string;
}

export interface Mark {
  address: string;
  isInked: boolean;
}

export type Marks = ReadonlyMap<string, Mark>;

/** The index comes in parts, by how names begin: the many marks of a cloud are of use to whoever shows something of it. */
const clouds = ["aws", "azure", "gcp"] as const;
export type MarkPart = (typeof clouds)[number] | "other";

export const partOf = (name: string): MarkPart =>
  clouds.find((cloud) => plain(name).startsWith(cloud)) ?? "other";

let source: ((part: MarkPart) => Promise<MarkIndex>) | undefined;
/** What is known of the index: made anew with every part. */
let known: Marks = new Map();
const isThere = new Set<MarkPart>();
const loading = new Map<MarkPart, Promise<void>>();
const listeners = new Set<() => void>();

/** Tells where the index of marks comes from. Without, everything is drawn as its first letter. */
export function provideMarks(load: (part: MarkPart) => Promise<MarkIndex>): void {
  source = load;
}

function ensurePart(part: MarkPart): Promise<void> {
  if (isThere.has(part) || !source) return Promise.resolve();
  const begun = loading.get(part);
  if (begun) return begun;
  const coming = source(part)
    .then((loaded) => {
      known = new Map([...known, ...indexMarks(loaded)]);
      isThere.add(part);
      for (const listener of listeners) listener();
    })
    // Marks are decoration: letters stand in for them until the index can be had.
    .catch(() => {})
    .finally(() => loading.delete(part));
  loading.set(part, coming);
  return coming;
}

/** The parts in which the mark of a type may be. */
const partsOf = (type: string): MarkPart[] => [...new Set(markNames(type).map(partOf))];

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The marks by their names without hyphens, in lower case: types are written in many ways. */
export function indexMarks({ coloured, inked, addressOf }: MarkIndex): Marks {
  const entries = (names: readonly string[], isInked: boolean) =>
    names.map((name): [string, Mark] => [plain(name), { address: addressOf(name), isInked }]);
  return new Map([...entries(inked, true), ...entries(coloured, false)]);
}

/** What people call it, and what its mark is filed under. */
const otherNames: Readonly<Record<string, string>> = {
  kubernetes: "k8s",
  postgresql: "postgres",
  mssql: "sqlserver",
  s3: "awss3",
  gcs: "gcsbucket",
  alertmanager: "prometheus",
};

/** Names under which a type's mark may be filed, the closest first: `AWS::EC2::Instance`, its kind, `AWS::EC2`, `AWS`. */
export function markNames(type: string): string[] {
  const parts = type
    .slice(0, 200)
    .split(/::|[/.]/)
    .map((part) => plain(part))
    .filter(Boolean)
    .map((part) => otherNames[part] ?? part);
  const names = parts.map((_, dropped) => parts.slice(0, parts.length - dropped).join(""));
  return [...new Set([...names.slice(0, 1), ...parts.slice(-1), ...names.slice(1)])];
}

/** The mark of a type, if there is one. */
export function findMark(marks: Marks, type: string): Mark | undefined {
  const name = markNames(type).find((known) => marks.has(known));
  return name === undefined ? undefined : marks.get(name);
}

/** The mark of a type where the index is there already. */
const knownMark = (type: string): Mark | undefined =>
  // A closer name may stand in a part that is missing.
  partsOf(type).every((part) => isThere.has(part)) ? findMark(known, type) : undefined;

/** The mark of a type, also of one that nothing on the screen has. */
export async function loadMark(type: string): Promise<Mark | undefined> {
  await Promise.all(partsOf(type).map(ensurePart));
  return knownMark(type);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The mark of a type, once it is known that there is one. */
export function useMark(type: string, isWanted: boolean): Mark | undefined {
  const mark = useSyncExternalStore(subscribe, () => (isWanted ? knownMark(type) : undefined));
  useEffect(() => {
    if (isWanted) for (const part of partsOf(type)) void ensurePart(part);
  }, [isWanted, type]);
  return mark;
}
