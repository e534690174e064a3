import { type CanaryCheck, codeInCheck, type EnvVar } from "@mainstay/contract";
import { type Context, type Evaluator, type Mapping, ScriptError } from "@mainstay/scripting";
import type { z } from "zod";
import {
  type Connection,
  type ConnectionFinder,
  ConnectionMissing,
  ConnectionSealed,
} from "#features/connections/index.ts";
import { ValueMissing, type ValueSources } from "#platform/value-sources/value-sources.ts";
import { findCheckType } from "../check-types/index.ts";
import type { RunContext, Subject } from "../scripts/context.ts";
import { callsLastResult, LAST_RESULT, mistakeOf } from "../scripts/evaluate.ts";
import { AddressElsewhere, credentialsOf, fillConnection } from "./fill-connections.ts";
import { isMapping, type Keys, type SpecNeeds, type TemplatePlace } from "./spec-needs.ts";

export { specNeeds, textsOf } from "./spec-needs.ts";

/*
 * From a check as it is written to the spec that its type runs: values that stand elsewhere, templates, connections,
 * in this order. Templates read what the document says; what comes from outside of it is never read as one, nor as a
 * reference.
 */

export interface PrepareParts {
  evaluator: Evaluator;
  /** Without them, a check that names a value is not run and says so. */
  values?: ValueSources;
  connections?: ConnectionFinder;
}

export interface Preparation {
  check: CanaryCheck;
  needs: SpecNeeds;
  subject: Subject;
  context: RunContext;
  signal: AbortSignal;
}

export type Prepared = { ok: true; spec: unknown } | { ok: false; error: string };

/** Why a check cannot be run as its document says. */
class NotPrepared extends Error {}

/** `secrets` takes up everything that must not show in the result, also when the check cannot be run. */
export async function prepareSpec(
  preparation: Preparation,
  parts: PrepareParts,
  secrets: string[],
): Promise<Prepared> {
  try {
    const written = await filled(preparation, parts, secrets);
    const { type, spec: before } = preparation.check;
    if (codeInCheck(type, written) !== undefined && codeInCheck(type, before) === undefined)
      return {
        ok: false,
        error:
          "With its templates and connections filled in the check reaches into the server's own machine, which its document does not say; write the address into the document.",
      };
    const parsed = findCheckType(type)!.spec.safeParse(written);
    if (!parsed.success) return { ok: false, error: firstIssue(parsed.error) };
    return { ok: true, spec: parsed.data };
  } catch (error) {
    if (error instanceof NotPrepared || error instanceof AddressElsewhere)
      return { ok: false, error: error.message };
    throw error;
  }
}

async function filled(
  preparation: Preparation,
  parts: PrepareParts,
  secrets: string[],
): Promise<Record<string, unknown>> {
  const { check, needs } = preparation;
  const spec = structuredClone(check.spec);
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
  const credentials = credentialsOf(spec, own && found.get(dotted([own.key])));
  await render(spec, addresses, { ...variables, ...escaped(credentials) }, { preparation, parts });
  for (const place of references)
    fillConnection(spec, place, found.get(dotted([...place.keys, place.key]))!, check.type);
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
  { preparation, parts }: { preparation: Preparation; parts: PrepareParts },
): Promise<void> {
  const { subject, context } = preparation;
  const seen: Context = {
    ...context.given,
    ...variables,
    env: variables,
    metadata: subject.canary,
    ...(subject as unknown as Mapping),
    outputs: context.outputs ?? {},
  };
  await Promise.all(
    templates.map(async ({ keys, text, isSpec }) => {
      try {
        const answers = callsLastResult(text) && { [LAST_RESULT]: context.lastResult ?? {} };
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
  preparation: Preparation,
  parts: PrepareParts,
  secrets: string[],
): Promise<Record<string, string>> {
  const { needs, subject } = preparation;
  const entries = await Promise.all(
    Object.entries(needs.variables).map(async ([name, value]): Promise<[string, string]> => {
      const field = value.valueFrom?.fieldRef?.fieldPath;
      if (field !== undefined) return [name, fieldOf(field, name, subject.canary)];
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

function fieldOf(path: string, name: string, canary: Subject["canary"]): string {
  const label = /^metadata\.labels\['([^']+)'\]$/.exec(path)?.[1];
  const found =
    label === undefined
      ? {
          "metadata.name": canary.name,
          "metadata.namespace": canary.namespace,
          "metadata.uid": canary.id,
        }[path]
      : (canary.labels[label] ?? "");
  if (found === undefined)
    throw new NotPrepared(
      `env.${name}: the field "${path}" is none of a canary; there are metadata.name, metadata.namespace, metadata.uid and metadata.labels['…'].`,
    );
  return found;
}

async function resolved(
  value: EnvVar | string,
  place: string,
  { check, subject, signal }: Preparation,
  { values }: PrepareParts,
): Promise<string> {
  const asker = { namespace: subject.canary.namespace || check.namespace, signal };
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
  { check, subject, signal }: Preparation,
  { connections }: PrepareParts,
): Promise<Connection> {
  if (!connections)
    throw new NotPrepared(
      `connection: ${reference} is not known here; connections are kept by a server.`,
    );
  try {
    const namespace = subject.canary.namespace || check.namespace;
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

function firstIssue({ issues }: z.ZodError): string {
  const [first] = issues;
  const path = first?.path.join(".") ?? "";
  return `With its templates and connections filled in the check is wrong: ${path ? `${path}: ` : ""}${first?.message ?? "it cannot be read."}`;
}
