/**
 * A small part of JSONPath, enough to name a value: `$.a.b`, `$['a b']`, `$.list[0]`, `$.list[-1]`, `.*` `[*]`, and `.length` of a list.
 * Throws an error that says what is wrong with the path.
 */

type Step = { kind: "key"; key: string } | { kind: "index"; index: number } | { kind: "all" };

const stepPattern =
  /(?:\.([\p{L}_$][\p{L}\p{N}_$-]*|\*))|(?:\[(?:(-?\d+)|(\*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\])/uy;

export function parsePath(path: string): Step[] {
  const text = path.trim();
  const body = text.startsWith("$")
    ? text.slice(1)
    : text.startsWith(".") || text.startsWith("[")
      ? text
      : `.${text}`;
  const steps: Step[] = [];
  for (let at = 0; at < body.length; at = stepPattern.lastIndex) {
    stepPattern.lastIndex = at;
    const match = stepPattern.exec(body);
    if (!match)
      throw new Error(
        `the path "${path}" is not understood from "${body.slice(at, at + 20)}" on; write for example $.items[0].name`,
      );
    const [, name, index, star, single, double] = match;
    if (name === "*" || star) steps.push({ kind: "all" });
    else if (index !== undefined) steps.push({ kind: "index", index: Number(index) });
    else
      steps.push({
        kind: "key",
        key: name ?? (single ?? double ?? "").replaceAll(/\\(.)/gs, "$1"),
      });
  }
  return steps;
}

/** The most values that wildcards may select. */
const mostValues = 10_000;

/** The values that a path leads to, as texts: strings as they are, everything else as JSON. */
export function selectText(json: unknown, path: string): string[] {
  let values: unknown[] = [json];
  for (const step of parsePath(path)) {
    const next: unknown[] = [];
    for (const value of values) {
      if (typeof value !== "object" || value === null) continue;
      if (step.kind === "all") for (const inner of Object.values(value)) next.push(inner);
      else if (step.kind === "index") {
        if (Array.isArray(value) && value.length > 0) next.push(value.at(step.index) as unknown);
      } else if (Object.hasOwn(value, step.key))
        next.push((value as Record<string, unknown>)[step.key]);
      if (next.length > mostValues) break;
    }
    values = next.slice(0, mostValues).filter((value) => value !== undefined);
  }
  return values.map((value) => (typeof value === "string" ? value : textOf(value, path)));
}

function textOf(value: unknown, path: string): string {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON is read to any depth, and written to some thousand levels only.
    throw new Error(`what ${path} leads to is nested too deep to be compared`);
  }
}
