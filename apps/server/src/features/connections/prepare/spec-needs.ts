import type { EnvVar } from "@mainstay/contract";

/** What a document holds that is run. */
export type SpecNoun = "check" | "log backend" | "scraper";

/** A check, a scraper or a log backend, as its document says it. */
export interface WrittenSpec {
  /** What messages call it, and whose types `type` is one of. */
  noun: SpecNoun;
  type: string;
  /** As it was written. */
  spec: Readonly<Record<string, unknown>>;
  /** Whether its texts are templates. */
  isTemplated: boolean;
  /** Keys of the spec that say something of it and nothing to its target: what is in them is left alone. */
  ownKeys: ReadonlySet<string>;
  /** Variables of the document for templates, as they were written. */
  env?: Readonly<Record<string, unknown>> | undefined;
}

/** What of a spec must be put in its place before every run. */
export interface SpecNeeds {
  /** Texts that are templates. */
  templates: readonly TemplatePlace[];
  /** Values that stand elsewhere. */
  values: readonly ValuePlace[];
  /** Objects that name a stored connection. */
  connections: readonly ConnectionPlace[];
  /** Variables that templates name, of the document and of the spec. */
  variables: Readonly<Record<string, EnvVar & { valueFrom?: { fieldRef?: FieldRef } }>>;
}

export type Keys = readonly (string | number)[];

export interface TemplatePlace {
  keys: Keys;
  text: string;
  /** `$( )` are replaced as well. */
  isSpec: boolean;
}

export interface ValuePlace {
  keys: Keys;
  /** The object, or the text, that says where the value is. */
  value: EnvVar | string;
}

export interface ConnectionPlace {
  /** Of the object that holds the reference. */
  keys: Keys;
  key: "connection" | "url";
  reference: string;
}

interface FieldRef {
  fieldPath?: string;
}

type Written = Readonly<Record<string, unknown>>;

/** Documents of others, whose references and templates are theirs. */
const documents = new Set([
  "spec",
  "podSpec",
  "resources",
  "staticResources",
  "checks",
  "waitFor",
  "valueFrom",
]);
/** Of these `$( )` belongs to the text itself: scripts of shells, queries, what is sent. */
const withoutParentheses = new Set(["script", "query", "body", "env"]);

const sourceText = /^(secret|configmap|helm|serviceaccount):\/\/\S+$/;
const storedConnection =
  /^(connection:\/\/\S+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

export const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined for most specs: they are run as they were written. What a document needs is found once. */
export function specNeeds(written: WrittenSpec): SpecNeeds | undefined {
  const { spec, isTemplated, ownKeys } = written;
  const templates: TemplatePlace[] = [];
  const values: ValuePlace[] = [];
  const connections: ConnectionPlace[] = [];
  const variables = new Set(allVariables(written).map(([name]) => name));
  /** Whatever `$( )` of it names is a variable: `{"token": "$(TOKEN)"}`. */
  const isFilled = (body: unknown) => {
    const named = typeof body === "string" ? [...body.matchAll(/\$\(\s*\.?([^)]*?)\s*\)/g)] : [];
    return named.length > 0 && named.every(([, name]) => variables.has(name!));
  };

  const walk = (found: unknown, keys: Keys, isSpec: boolean): void => {
    if (typeof found === "string") {
      const key = keys.at(-1);
      if (isTemplated && isTemplate(found, isSpec)) templates.push({ keys, text: found, isSpec });
      else if (sourceText.test(found)) values.push({ keys, value: found });
      else if ((key === "connection" || key === "url") && storedConnection.test(found))
        connections.push({ keys: keys.slice(0, -1), key, reference: found });
      return;
    }
    if (Array.isArray(found)) {
      for (const [index, item] of found.entries()) walk(item, [...keys, index], isSpec);
      return;
    }
    if (!isMapping(found)) return;
    if (isReference(found)) {
      values.push({ keys, value: found });
      return;
    }
    for (const [key, inner] of Object.entries(found)) {
      const isTop = keys.length === 0;
      if (documents.has(key) || (isTop && ownKeys.has(key))) continue;
      if (isTop && key === "body" && spec.templateBody !== true) continue;
      const isItsOwn = isTop && withoutParentheses.has(key) && !(key === "body" && isFilled(inner));
      walk(inner, [...keys, key], isSpec && !isItsOwn);
    }
  };
  walk(spec, [], true);
  if (templates.length + values.length + connections.length === 0) return undefined;
  return { templates, values, connections, variables: variablesOf(written, templates) };
}

const isTemplate = (text: string, isSpec: boolean) =>
  text.includes("{{") || /^#+\s*gotemplate:/m.test(text) || (isSpec && text.includes("$("));

/** It says where its value is, and holds none itself. */
function isReference(found: Written): boolean {
  const { value, valueFrom } = found;
  return isMapping(valueFrom) && Object.keys(valueFrom).length > 0 && !hasValue(value);
}

const hasValue = (value: unknown) => value !== undefined && value !== null && value !== "";

/** Of the document, and over them of the spec; only those that a template may mean. */
function variablesOf(
  written: WrittenSpec,
  templates: readonly TemplatePlace[],
): SpecNeeds["variables"] {
  const all = allVariables(written);
  const words = new Set(templates.flatMap(({ text }) => text.match(/[\p{L}\p{N}_]+/gu) ?? []));
  return Object.fromEntries(
    all
      .filter(([name]) => words.has(name))
      .map(([name, value]): [string, EnvVar] => [
        name,
        isMapping(value) ? withSource(value) : { value: String(value as string | number) },
      ]),
  );
}

function allVariables({ env, spec }: WrittenSpec): [string, unknown][] {
  const named = Array.isArray(spec.env) ? spec.env.filter(isMapping) : [];
  return [
    ...Object.entries(env ?? {}),
    ...named.flatMap((one): [string, unknown][] =>
      typeof one.name === "string" ? [[one.name, one]] : [],
    ),
  ];
}

/** Variables of the document may name their source without `valueFrom`. */
function withSource(variable: Record<string, unknown>): EnvVar {
  const { secretKeyRef, configMapKeyRef, fieldRef } = variable;
  if (variable.valueFrom !== undefined || hasValue(variable.value)) return variable;
  const valueFrom = { secretKeyRef, configMapKeyRef, fieldRef };
  // Judged by the schema when the document was read.
  return { ...variable, valueFrom } as EnvVar;
}

/** Every text of a spec that may be evaluated. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
