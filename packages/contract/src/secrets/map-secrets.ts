import type { JsonSchema } from "../documents/json-schema.ts";
import { maskAddress, replaceRanges, secretRanges } from "./address-secrets.ts";
import { type Mark, markName } from "./marks.ts";
import {
  holdsPrivateKey,
  isHarmlessHeader,
  isReadableBeside,
  namesSecret,
} from "./secret-names.ts";

type Key = string | number;
export type Scalar = string | number | boolean;

/** One secret of a document. */
export interface SecretPlace {
  /** `http[name=front].url#password`: elements of lists by their names, so that another order changes nothing. */
  path: string;
  /** The way to it in the document, for places in its text. */
  keys: readonly Key[];
  value: Scalar;
  /** Where the document would send it. */
  destination: string;
}

export interface SecretDocument {
  schema: JsonSchema;
  value: unknown;
  /** Of a part of the document, where it sends its secrets; what it does not say holds from outside. */
  destinationAt: (keys: readonly Key[], value: unknown) => string | undefined;
  /** Whether a text only names what is filled in when it is sent, and is no secret itself. */
  isFilledIn?: (keys: readonly Key[], text: string) => boolean;
}

interface At {
  path: string;
  keys: readonly Key[];
  destination: string;
  /** None where no schema of ours says what stands here; then names do. */
  schema: JsonSchema | undefined;
  /** Where there is no schema: everything here is secret. */
  isSecret?: boolean;
  /** Where there is no schema: here are names with values. */
  pairs?: "headers" | "variables";
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

/** A number that JavaScript cannot hold, as a reader of JSON may hand it on. */
const isExactNumber = (value: object): boolean =>
  (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) === true;

const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "object" && value !== null && isExactNumber(value));

/** What stands elsewhere is no secret itself. */
const isReference = (value: unknown) =>
  typeof value === "string" &&
  /^(secret|configmap|helm|serviceaccount|connection):\/\//.test(value);

/** The document with every secret exchanged; what is not secret is taken over as it is. */
export function mapSecrets(
  { schema, value, destinationAt, isFilledIn }: SecretDocument,
  replace: (place: SecretPlace) => unknown,
): unknown {
  const whole = (found: Scalar, at: At): unknown =>
    found === "" || isReference(found) || isFilledIn?.(at.keys, String(found))
      ? found
      : replace({ path: at.path, keys: at.keys, value: found, destination: at.destination });

  const inAddress = (text: string, at: At): string =>
    isReference(text)
      ? text
      : replaceRanges(text, secretRanges(text), ({ name }, part) =>
          String(
            replace({
              path: `${at.path}#${name}`,
              keys: at.keys,
              value: part,
              destination: at.destination,
            }),
          ),
        );

  const scalar = (found: Scalar, at: At): unknown => {
    if (at.isSecret) return typeof found === "boolean" ? found : whole(found, at);
    if (typeof found !== "string" || at.schema === undefined) {
      if (at.schema !== undefined) return isWhole(at.schema) ? whole(found, at) : found;
      if (typeof found !== "string") return found;
      // `NAME=value` and `Name: value`, one a line of a list.
      const header = at.pairs === "headers" ? found.split(":", 1)[0] : undefined;
      if (at.pairs === "variables" || (header !== undefined && !isHarmlessHeader(header)))
        return whole(found, at);
      return holdsPrivateKey(found) ? whole(found, at) : inAddress(found, at);
    }
    const mark = markOf(at.schema);
    if (mark === "address") return inAddress(found, at);
    if (mark === "key") return holdsPrivateKey(found) ? whole(found, at) : found;
    return isWhole(at.schema) ? whole(found, at) : found;
  };

  const walk = (found: unknown, from: At): unknown => {
    if (isScalar(found)) return scalar(found, from);
    if (typeof found !== "object" || found === null) return found;
    const at = {
      ...from,
      schema: referredTo(from.schema, schema),
      destination: destinationAt(from.keys, found) ?? from.destination,
    };
    if (Array.isArray(found)) {
      const items = itemsOf(at.schema);
      const named = namesOf(found);
      return found.map((item: unknown, index) =>
        walk(item, {
          ...at,
          path: `${at.path}[${named[index]}]`,
          keys: [...at.keys, index],
          schema: items,
        }),
      );
    }
    const map = found as Record<string, unknown>;
    const entries = Object.entries(map).map(([key, inner]): [string, unknown] => {
      const next = { ...at, path: pathOf(at.path, key), keys: [...at.keys, key] };
      return [key, walk(inner, { ...next, ...stepInto(map, key, at) })];
    });
    return Object.fromEntries(entries);
  };

  return walk(value, {
    path: "",
    keys: [],
    schema,
    destination: destinationAt([], value) ?? "",
  });
}

/** All secrets of a document. */
export function secretPlacesIn(document: SecretDocument): SecretPlace[] {
  const places: SecretPlace[] = [];
  mapSecrets(document, (place) => {
    places.push(place);
    return place.value;
  });
  return places;
}

/** Whatever stands below is no secret. */
const readable: JsonSchema = {};
readable.additionalProperties = readable;
readable.items = readable;

const isWhole = (schema: JsonSchema) => schema.writeOnly === true;
const markOf = (schema: JsonSchema) => schema[markName] as Mark | undefined;

/** What is known of the value of a key. */
function stepInto(
  map: Record<string, unknown>,
  key: string,
  at: At,
): Pick<At, "schema"> & Partial<At> {
  const known = fieldOf(at.schema, key);
  if (at.schema !== undefined && known !== undefined) {
    // In a mapping of headers the key is the name.
    const name = isFieldOf(at.schema, key) ? map.name : key;
    if (markOf(known) === "header" && typeof name === "string" && isHarmlessHeader(name))
      return { schema: readable };
    // A plain scalar and an object with a value are two ways to write one secret.
    if (key === "value" && (isWhole(at.schema) || markOf(at.schema)))
      return { schema: { ...at.schema, anyOf: undefined }, path: at.path };
    return { schema: known };
  }
  if (key === "valueFrom") return { schema: readable, isSecret: false };
  const { name } = map;
  const isPair = key === "value" && typeof name === "string";
  const told = isPair ? name : key;
  const isSecret =
    (at.isSecret === true && !isReadableBeside(key)) ||
    namesSecret(told) ||
    (at.pairs !== undefined &&
      (isPair || !("name" in map)) &&
      !(at.pairs === "headers" && isHarmlessHeader(told)));
  const pairs = /^headers?$/i.test(key)
    ? "headers"
    : /^env(ironment|vars?)?$/i.test(key)
      ? "variables"
      : undefined;
  // The list of headers is none itself.
  if (pairs && typeof map[key] === "object") return { schema: undefined, pairs, isSecret: false };
  return { schema: undefined, isSecret, pairs: undefined };
}

const propertiesOf = (schema: JsonSchema): Record<string, JsonSchema> =>
  (branchOf(schema, "object").properties as Record<string, JsonSchema> | undefined) ?? {};

/** Whether the schema declares the field, and not any of that place. */
const isFieldOf = (schema: JsonSchema, key: string) => Object.hasOwn(propertiesOf(schema), key);

/** The schema of a field; undefined where names decide. */
function fieldOf(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  if (isFieldOf(schema, key)) return propertiesOf(schema)[key];
  const rest = branchOf(schema, "object").additionalProperties;
  return isMap(rest) && Object.keys(rest).length > 0 ? rest : undefined;
}

function itemsOf(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const { items } = branchOf(schema, "array");
  return isMap(items) ? items : undefined;
}

/** The schema that another one only names. */
function referredTo(schema: JsonSchema | undefined, root: JsonSchema): JsonSchema | undefined {
  const { $ref } = schema ?? {};
  const name = typeof $ref === "string" ? /^#\/\$defs\/(\w+)$/.exec($ref)?.[1] : undefined;
  return name === undefined
    ? schema
    : (root.$defs as Record<string, JsonSchema> | undefined)?.[name];
}

/** Of alternatives, the one that such a value is meant for. */
function branchOf(schema: JsonSchema, type: "object" | "array"): JsonSchema {
  if (!Array.isArray(schema.anyOf)) return schema;
  return (schema.anyOf as JsonSchema[]).find((branch) => branch.type === type) ?? {};
}

const simple = /^[A-Za-z_$][\w$-]*$/;

function pathOf(path: string, key: string): string {
  if (!simple.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** What elements of a list are called: by their names, those of one name by number, others by place. */
function namesOf(list: readonly unknown[]): string[] {
  const seen = new Map<string, number>();
  return list.map((item, index) => {
    const name = isMap(item) ? item.name : undefined;
    if (typeof name !== "string" || name === "" || holdsPrivateKey(name)) return String(index);
    // The same before and after its own secrets were exchanged.
    const known = maskAddress(name);
    const count = (seen.get(known) ?? 0) + 1;
    seen.set(known, count);
    const shown = /^[\w .:/-]+$/.test(known) ? known : JSON.stringify(known);
    return `name=${shown}${count === 1 ? "" : `,${count}`}`;
  });
}
