/** Label and field selectors as a Kubernetes API server reads them. */

type Test = (value: string | undefined) => boolean;
interface Term {
  key: string;
  test: Test;
}

const setTerm = /^([^\s,!=()]+)\s+(in|notin)\s*\(([^()]*)\)$/;

/** At commas that stand in no brackets. */
const termsOf = (text: string): string[] =>
  text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter(Boolean);

function labelTerm(text: string): Term {
  const [, setKey, operator, inside] = setTerm.exec(text) ?? [];
  if (setKey !== undefined) {
    const values = (inside ?? "").split(",").map((value) => value.trim());
    const isIn: Test = (value) => value !== undefined && values.includes(value);
    return { key: setKey, test: operator === "in" ? isIn : (value) => !isIn(value) };
  }
  const [, key, sign, wanted] = /^([^\s!=]+)\s*(==|!=|=)\s*(\S*)$/.exec(text) ?? [];
  if (key !== undefined)
    return {
      key,
      test: sign === "!=" ? (value) => value !== wanted : (value) => value === wanted,
    };
  const [, not, name] = /^(!?)([\w./-]+)$/.exec(text) ?? [];
  if (name === undefined)
    throw new Error(`unable to parse requirement: found '${text}', expected: identifier`);
  return { key: name, test: not ? (value) => value === undefined : (value) => value !== undefined };
}

export function matchesLabels(selector: string, labels: Readonly<Record<string, string>>): boolean {
  return termsOf(selector)
    .map(labelTerm)
    .every(({ key, test }) => test(Object.hasOwn(labels, key) ? labels[key] : undefined));
}

function fieldOf(object: unknown, path: string): string {
  const found = path
    .split(".")
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
  if (found === undefined || found === null) return "";
  return typeof found === "string" ? found : JSON.stringify(found);
}

/** Only some fields of a kind may be named: `known` beside the name and the namespace. */
export function matchesFields(
  selector: string,
  object: unknown,
  known: readonly string[],
): boolean {
  return termsOf(selector).every((term) => {
    const [, key, sign, wanted] = /^([^!=]+?)\s*(==|!=|=)\s*(.*)$/.exec(term) ?? [];
    if (key === undefined)
      throw new Error(`invalid selector: '${term}'; can't understand '${term}'`);
    if (!["metadata.name", "metadata.namespace", ...known].includes(key))
      throw new Error(`field label not supported: ${key}`);
    return (fieldOf(object, key) === wanted) === (sign !== "!=");
  });
}
