import type { WrittenSpec } from "../documents/document-format.ts";
import { secretPlaceholder } from "../secrets/marks.ts";
import { type BlockField, blockOfType, blocks, type FlatValues } from "./blocks.ts";
import { connectionType, fieldsOf } from "./connection-types.ts";
import { textOfValue, writtenValue } from "./written-values.ts";

type Mapping = Record<string, unknown>;

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Columns of texts, in the order of the row. */
const texts = ["url", "username", "password", "certificate"] as const;
const isTrue = (value: unknown) => value === true || value === "true";

function put(values: FlatValues, to: string, value: unknown): void {
  if (value === undefined) return;
  if (to.startsWith("properties."))
    values.properties[to.slice(11)] = textOfValue(value) ?? JSON.stringify(value);
  else (values as unknown as Mapping)[to] = value;
}

function readField({ as, by = ",", words }: BlockField, value: unknown): unknown {
  switch (as) {
    case "value":
      return textOfValue(value);
    case "flag":
      return isTrue(value);
    case "json":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "list":
      return Array.isArray(value) ? value.map(String).join(by) : textOfValue(value);
    case "text": {
      const text = textOfValue(value);
      const known = Object.entries(words ?? {}).find(([, word]) => word === text?.toLowerCase());
      return known?.[0] ?? text;
    }
  }
}

/** Steps into the groups of a block: `oauth.clientID`. */
const pathed = (fields: Readonly<Record<string, BlockField>>) =>
  new Set(Object.keys(fields).flatMap((key) => (key.includes(".") ? [key.split(".")[0]!] : [])));

function readBlock(key: string, block: Mapping): FlatValues {
  const { type, fields, fill } = blocks[key]!;
  const values: FlatValues = { type, properties: {} };
  const groups = pathed(fields);
  const read = (part: Mapping, prefix: string): void => {
    for (const [name, value] of Object.entries(part)) {
      if (value === null || value === undefined) continue;
      const path = `${prefix}${name}`;
      const field = fields[path];
      if (field) put(values, field.to, readField(field, value));
      else if (prefix === "" && groups.has(name) && isMapping(value)) read(value, `${name}.`);
      else put(values, `properties.${path}`, textOfValue(value) ?? JSON.stringify(value));
    }
  };
  read(block, "");
  fill?.(values);
  return values;
}

function readFlat(spec: Mapping): FlatValues {
  const values: FlatValues = {
    type: typeof spec.type === "string" ? spec.type : "",
    properties: {},
  };
  for (const name of texts) put(values, name, textOfValue(spec[name]));
  if (spec.insecure_tls !== undefined) values.insecure_tls = isTrue(spec.insecure_tls);
  for (const [name, value] of Object.entries(isMapping(spec.properties) ? spec.properties : {}))
    if (value !== null && value !== undefined)
      values.properties[name] = textOfValue(value) ?? JSON.stringify(value);
  if (spec.port !== undefined && spec.port !== null)
    values.properties.port ??= String(textOfValue(spec.port));
  return values;
}

/** Where a secret stands in an address as well, its name takes its place. */
function nameSecrets(values: FlatValues): void {
  for (const { key, secret } of fieldsOf(values.type)) {
    if (!secret || key === "url") continue;
    const [column, name] = key.split(".") as [string, string?];
    const found =
      name === undefined ? (values as unknown as Mapping)[column] : values.properties[name];
    if (typeof found !== "string" || found.length < 4 || found === secretPlaceholder) continue;
    values.url = values.url?.replaceAll(found, `$(${key})`);
  }
}

export const blockKeysIn = (spec: WrittenSpec): string[] =>
  Object.keys(spec).filter((key) => Object.hasOwn(blocks, key) && isMapping(spec[key]));

/** A spec as the row holds it, whichever of its forms it was written in. */
export function flatten(spec: WrittenSpec): FlatValues {
  const key = blockKeysIn(spec).at(-1);
  const values = key === undefined ? readFlat(spec) : readBlock(key, spec[key] as Mapping);
  if (values.url === undefined && key !== undefined)
    values.url = connectionType(values.type)?.composeUrl?.(values);
  nameSecrets(values);
  const { type, properties, insecure_tls: insecureTls } = values;
  const written: Mapping = { type };
  for (const name of texts) if (values[name] !== undefined) written[name] = values[name];
  if (insecureTls === true) written.insecure_tls = true;
  return { ...written, ...(Object.keys(properties).length > 0 && { properties }) } as FlatValues;
}

function writeBlock(values: FlatValues): WrittenSpec | undefined {
  const found = blockOfType(values.type);
  if (!found) return undefined;
  const [key, { fields }] = found;
  const block: Mapping = {};
  const left = { ...values.properties };
  for (const [path, { to, as, by = ",", words, alias }] of Object.entries(fields)) {
    if (alias) continue;
    const name = to.startsWith("properties.") ? to.slice(11) : undefined;
    const value = name === undefined ? (values as unknown as Mapping)[to] : left[name];
    if (value === undefined) continue;
    if (name !== undefined) delete left[name];
    const said = textOfValue(value) ?? "";
    const written =
      as === "value"
        ? writtenValue(said)
        : as === "list"
          ? said.split(by)
          : as === "text"
            ? (words?.[said] ?? value)
            : value;
    const [group, inner] = path.split(".") as [string, string?];
    if (inner === undefined) block[group] = written;
    else block[group] = { ...(block[group] as Mapping | undefined), [inner]: written };
  }
  return { [key]: { ...block, ...left } };
}

/** A row as a document writes it: by the block of its type where that says all of it, and otherwise flat. */
export function unflatten(spec: WrittenSpec): WrittenSpec {
  const values = flatten(spec);
  const block = writeBlock({ ...values, properties: values.properties ?? {} });
  if (block && sameText(flatten(block), values)) return block;
  const flat: Mapping = { ...values };
  for (const name of texts)
    if (typeof values[name] === "string") flat[name] = writtenValue(values[name]);
  return flat;
}

const sorted = (value: unknown): unknown =>
  isMapping(value)
    ? Object.fromEntries(
        Object.entries(value)
          .map(([key, inner]) => [key, sorted(inner)] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      )
    : value;
const sameText = (a: unknown, b: unknown) =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
