import type { Finding } from "../documents/findings.ts";

interface Dependent {
  type: string;
  name: string;
  dependsOn: readonly string[];
  path: readonly (string | number)[];
}

/** What is wrong with the names under `dependsOn`: of no check, of several, of the check itself, or in a circle. */
export function findWrongDependencies(checks: readonly Dependent[]): Finding[] {
  if (checks.every(({ dependsOn }) => dependsOn.length === 0)) return [];
  const byName = Map.groupBy(checks, ({ name }) => name);
  const findings = checks.flatMap((check) =>
    check.dependsOn.flatMap((name, at): Finding[] => {
      const message = wrongName(name, check, { at, named: byName.get(name) ?? [] });
      const path = ["spec", ...check.path, "dependsOn", at];
      return message === undefined ? [] : [{ severity: "error", path, message }];
    }),
  );
  if (findings.length > 0) return findings;
  const circle = findCircle(checks);
  return circle
    ? [
        {
          severity: "error",
          path: ["spec", ...circle[0]!.path, "dependsOn"],
          message: `These checks wait for each other: ${[...circle, circle[0]!].map(({ name }) => name).join(", ")}.`,
        },
      ]
    : [];
}

function wrongName(
  name: string,
  check: Dependent,
  { at, named }: { at: number; named: readonly Dependent[] },
): string | undefined {
  if (check.dependsOn.indexOf(name) !== at) return `"${name}" stands here twice.`;
  if (named.includes(check)) return "A check cannot depend on itself.";
  if (named.length === 0) return `No check of this document is called "${name}".`;
  if (named.length > 1)
    return `Several checks of this document are called "${name}" (${named.map(({ type }) => type).join(", ")}); give them names of their own.`;
  return undefined;
}

function findCircle(checks: readonly Dependent[]): Dependent[] | undefined {
  const done = new Set<Dependent>(inOrder(checks));
  const first = checks.find((check) => !done.has(check));
  if (!first) return undefined;
  const rest = new Map(checks.filter((check) => !done.has(check)).map((one) => [one.name, one]));
  const way: Dependent[] = [];
  for (let at: Dependent | undefined = first; at && !way.includes(at);) {
    way.push(at);
    const next: string | undefined = at.dependsOn.find((name) => rest.has(name));
    at = next === undefined ? undefined : rest.get(next);
    if (at && way.includes(at)) return way.slice(way.indexOf(at));
  }
  return way;
}

/** Each after those that it depends on, otherwise as they come; without those that wait for each other. */
export function inOrder<Check extends Pick<Dependent, "name" | "dependsOn">>(
  checks: readonly Check[],
): Check[] {
  if (checks.every(({ dependsOn }) => dependsOn.length === 0)) return [...checks];
  const names = new Set(checks.map(({ name }) => name));
  const placed = new Set<string>();
  const ordered: Check[] = [];
  let waiting = checks;
  for (let before = -1; before !== ordered.length;) {
    before = ordered.length;
    const still: Check[] = [];
    for (const check of waiting) {
      if (check.dependsOn.some((name) => names.has(name) && !placed.has(name))) still.push(check);
      else {
        ordered.push(check);
        placed.add(check.name);
      }
    }
    waiting = still;
  }
  return ordered;
}
