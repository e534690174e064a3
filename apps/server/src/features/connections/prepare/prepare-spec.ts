import type { EnvVar } from "@mainstay/contract";
import { type Context, type Evaluator, type Mapping, ScriptError } from "@mainstay/scripting";
import type { z } from "zod";
import { mistakeOf } from "#platform/scripts/evaluate-script.ts";
import { ValueMissing, type ValueSources } from "#platform/value-sources/value-sources.ts";
import { type Connection, type ConnectionFinder, ConnectionMissing } from "../connection.ts";
import { ConnectionSealed } from "../read-connection.ts";
import { AddressElsewhere, credentialsOf, fillConnection } from "./fill-connections.ts";
import {
  isMapping,
  type Keys,
  type SpecNeeds,
  type SpecNoun,
  type TemplatePlace,
  type WrittenSpec,
} from "./spec-needs.ts";

/*
 * From a spec as it is written to the one that its type runs: values that stand elsewhere, templates, connections, in this
 * order. Templates read what the document says; what comes from outside of it is never read as one, nor as a reference.
 */

export interface PrepareParts {
  evaluator: Evaluator;
  /** Without them, a spec that names a value is not run and says so. */
  values?: ValueSources;
  connections?: ConnectionFinder;
}

export interface Preparation<Spec> {
  written: WrittenSpec;
  /** Of `specNeeds`. */
  needs: SpecNeeds;
  /** What variables can name of the document. */
  document: DocumentFacts;
  /** Whose values and connections are meant where a reference says no namespace. */
  namespace: string;
  /** What templates see; it hides variables of the same names. */
  seen: Context;
  /** The same, hidden by variables. */
  given?: Context | undefined;
  /** What functions of ours answer to a template, by their names. */
  answersTo?(template: string): Readonly<Record<string, Mapping>> | undefined;
  /** What the spec reaches on the server's machine: filled in, it may reach nothing that its document does not say. */
  reaches(spec: Readonly<Record<string, unknown>>): unknown;
  /** Makes of the filled spec what the type takes. */
  schema: z.ZodType<Spec>;
  signal: AbortSignal;
}

export interface DocumentFacts {
  id: string;
  name: string;
  namespace: string;
  labels: Readonly<Record<string, string>>;
}

export type Prepared<Spec> = { ok: true; spec: Spec } | { ok: false; error: string };

type Around = Omit<Preparation<unknown>, "schema" | "reaches">;

/** What messages call the document of one. */
const documentOf: Readonly<Record<SpecNoun, string>> = {
  check: "canary",
  "log backend": "LoggingBackend",
  scraper: "ScrapeConfig",
};

/** Why a spec cannot be run as its document says. */
class NotPrepared extends Error {}

/** `secrets` takes up everything that must not show in what comes of the run, also when it cannot be run. */
export async function prepareSpec<Spec>(
  preparation: Preparation<Spec>,
  parts: PrepareParts,
  secrets: string[],
): Promise<Prepared<Spec>> {
  const { written, reaches, schema } = preparation;
  const { noun } = written;
  try {
    const spec = await filled(preparation, parts, secrets);
    if (reaches(spec) !== undefined && reaches(written.spec) === undefined)
      return {
        ok: false,
        error: `With its templates and connections filled in the ${noun} reaches into the server's own machine, which its document does not say; write the address into the document.`,
      };
    const parsed = schema.safeParse(spec);
    if (!parsed.success) return { ok: false, error: firstIssue(parsed.error, noun) };
    return { ok: true, spec: parsed.data };
  } catch (error) {
    if (error instanceof NotPrepared || error instanceof AddressElsewhere)
      return { ok: false, error: error.message };
    throw error;
  }
}

async function filled(
  preparation: Around,
  parts: PrepareParts,
  secrets: string[],
): Promise<Record<string, unknown>> {
  const { written, needs } = preparation;
  const spec: Record<string, unknown> = structuredClone(written.spec);
  await Promise.all(
    needs.values.map(async ({ keys, value }) => {
      const text = await resolved(value, dotted(keys), preparation, parts);
      if (!isOpenValue(value)) secrets.push(text);
      put(spec, keys, isMapping(value) ? { ...value, valueFrom: undefined, value: text } : text);
    }),
  );
  const variables = await variablesOf(preparation, parts, secrets);
  const [addresses, others] = split(needs.templates);
  await render(spec, others, variables, { preparation, parts });
  const found = new Map<string, Connection>();
  const references = [...needs.connections, ...renderedConnections(spec, needs.templates)];
  for (const place of references) {
    const connection = await find(place.reference, preparation, parts);
    secrets.push(...secretsOf(connection));
    found.set(dotted([...place.keys, place.key]), connection);
  }
  const own = references.find(({ keys }) => keys.length === 0);
  const credentials = credentialsOf(spec, written, own && found.get(dotted([own.key])));
  await render(spec, addresses, { ...variables, ...escaped(credentials) }, { preparation, parts });
  for (const place of references)
    fillConnection(spec, place, found.get(dotted([...place.keys, place.key]))!, written);
  return spec;
}

const dotted = (keys: Keys) => keys.join(".");

/** Addresses come last: they may name the credentials, those of the connection included. */
function split(templates: readonly TemplatePlace[]): [TemplatePlace[], TemplatePlace[]] {
  const isAddress = ({ keys }: TemplatePlace) =>
    keys.length === 1 && ["url", "endpoint", "addr", "host"].includes(keys[0] as string);
  return [templates.filter(isAddress), templates.filter((one) => !isAddress(one))];
}

/** A template may say which connection is meant. */
function renderedConnections(
  spec: Record<string, unknown>,
  templates: readonly TemplatePlace[],
): SpecNeeds["connections"] {
  return templates.flatMap(({ keys }) => {
    const reference = at(spec, keys);
    return keys.at(-1) === "connection" &&
      typeof reference === "string" &&
      reference.startsWith("connection://")
      ? [{ keys: keys.slice(0, -1), key: "connection" as const, reference }]
      : [];
  });
}

const escaped = ({ username, password }: { username?: string; password?: string }) => ({
  username: encodeURIComponent(username ?? ""),
  password: encodeURIComponent(password ?? ""),
});

async function render(
  spec: Record<string, unknown>,
  templates: readonly TemplatePlace[],
  variables: Readonly<Record<string, string>>,
  { preparation, parts }: { preparation: Around; parts: PrepareParts },
): Promise<void> {
  const { document, given, answersTo } = preparation;
  const seen: Context = {
    ...given,
    ...variables,
    env: variables,
    metadata: document as unknown as Mapping,
    ...preparation.seen,
  };
  await Promise.all(
    templates.map(async ({ keys, text, isSpec }) => {
      try {
        const answers = answersTo?.(text);
        const result = await parts.evaluator.evaluate({
          language: "gotemplate",
          script: text,
          context: seen,
          isSpec,
          ...(answers && { answers }),
        });
        put(spec, keys, result.text);
      } catch (error) {
        if (error instanceof ScriptError)
          throw new NotPrepared(mistakeOf(dotted(keys), error).message);
        throw error;
      }
    }),
  );
}

async function variablesOf(
  preparation: Around,
  parts: PrepareParts,
  secrets: string[],
): Promise<Record<string, string>> {
  const { needs } = preparation;
  const entries = await Promise.all(
    Object.entries(needs.variables).map(async ([name, value]): Promise<[string, string]> => {
      const field = value.valueFrom?.fieldRef?.fieldPath;
      if (field !== undefined) return [name, fieldOf(field, name, preparation)];
      const text = await resolved(value, `env.${name}`, preparation, parts);
      if (!isOpenValue(value)) secrets.push(text);
      return [name, text];
    }),
  );
  return Object.fromEntries(entries);
}

/** What stands in a config map is for everybody to read. */
const isOpenValue = (value: EnvVar | string) =>
  typeof value === "string"
    ? value.startsWith("configmap://")
    : value.valueFrom?.configMapKeyRef !== undefined ||
      value.value?.startsWith("configmap://") === true;

function fieldOf(path: string, name: string, { document, written }: Around): string {
  const label = /^metadata\.labels\['([^']+)'\]$/.exec(path)?.[1];
  const found =
    label === undefined
      ? {
          "metadata.name": document.name,
          "metadata.namespace": document.namespace,
          "metadata.uid": document.id,
        }[path]
      : (document.labels[label] ?? "");
  if (found === undefined)
    throw new NotPrepared(
      `env.${name}: the field "${path}" is none of a ${documentOf[written.noun]}; there are metadata.name, metadata.namespace, metadata.uid and metadata.labels['…'].`,
    );
  return found;
}

async function resolved(
  value: EnvVar | string,
  place: string,
  { namespace, signal }: Around,
  { values }: PrepareParts,
): Promise<string> {
  const asker = { namespace, signal };
  if (
    typeof value !== "string" &&
    value.valueFrom === undefined &&
    !/^\w+:\/\//.test(value.value ?? "")
  )
    return value.value ?? "";
  if (!values)
    throw new NotPrepared(`${place}: the value stands elsewhere, and nothing here can look it up.`);
  try {
    if (typeof value === "string") return await values.resolveText(value, asker);
    if (value.value !== undefined && value.value !== "")
      return await values.resolveText(value.value, asker);
    return await values.resolve(value, asker);
  } catch (error) {
    if (error instanceof ValueMissing) throw new NotPrepared(`${place}: ${error.message}`);
    throw error;
  }
}

async function find(
  reference: string,
  { namespace, signal }: Around,
  { connections }: PrepareParts,
): Promise<Connection> {
  if (!connections)
    throw new NotPrepared(
      `connection: ${reference} is not known here; connections are kept by a server.`,
    );
  try {
    return await connections.find(reference, { namespace, signal });
  } catch (error) {
    if (
      error instanceof ConnectionMissing ||
      error instanceof ConnectionSealed ||
      error instanceof ValueMissing
    )
      throw new NotPrepared(`connection: ${error.message}`);
    throw error;
  }
}

/** Of properties those that telling names mark; the others are hosts, regions and the like. */
const telling = /password|secret|token|key|bearer|credential|certificate|private/i;

function secretsOf({ password, certificate, url, properties }: Connection): string[] {
  const inUrl = url && URL.canParse(url) ? [decodeURIComponentSafe(new URL(url).password)] : [];
  return [
    ...[password, certificate].filter((text) => text !== undefined),
    ...inUrl,
    ...Object.entries(properties).flatMap(([name, text]) => (telling.test(name) ? [text] : [])),
  ].filter((text) => text !== "");
}

function decodeURIComponentSafe(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function at(value: unknown, keys: Keys): unknown {
  return keys.reduce<unknown>(
    (found, key) => (found as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
}

/** The way exists: it was walked when the needs were found. */
function put(spec: Record<string, unknown>, keys: Keys, value: unknown): void {
  const holder = at(spec, keys.slice(0, -1)) as Record<string | number, unknown>;
  holder[keys.at(-1)!] = value;
}

function firstIssue({ issues }: z.ZodError, noun: SpecNoun): string {
  const [first] = issues;
  const path = first?.path.join(".") ?? "";
  return `With its templates and connections filled in the ${noun} is wrong: ${path ? `${path}: ` : ""}${first?.message ?? "it cannot be read."}`;
}
