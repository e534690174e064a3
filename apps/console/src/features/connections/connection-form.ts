import type {
  ConnectionField,
  ConnectionFieldKey,
  ConnectionType,
  ConnectionValues,
} from "@mainstay/contract/connections/connection-type.ts";
import { addressTarget, secretPlaceholder } from "@mainstay/contract/secrets/index.ts";
import { checkNumber, requiredText } from "@mainstay/ui/fields/check-field.ts";
import { emptySourced, type SourcedValue } from "@mainstay/ui/fields/SourcedField.tsx";
import { isHalfSourced, sourcedOf, sourcedText } from "#lib/value-source.ts";

/** What a form holds of a connection; each field as it is typed. */
export interface ConnectionForm {
  name: string;
  namespace: string;
  fields: Readonly<Record<string, SourcedValue>>;
  /** Fields whose stored secret stays. */
  kept: readonly string[];
}

/** What a row holds, as far as forms know it. */
export interface ConnectionContent {
  name: string;
  namespace: string;
  url: string | null;
  username: string | null;
  password: string | null;
  certificate: string | null;
  insecure_tls: boolean | null;
  properties: Readonly<Record<string, string>> | null;
}

export type ConnectionErrors = Readonly<Record<string, string>>;

export const defaultNamespace = "default";
const longest = 253;

const propertyOf = (key: ConnectionFieldKey): string | undefined =>
  key.startsWith("properties.") ? key.slice("properties.".length) : undefined;

/** What stands for a secret in an answer. */
const isPlaceholder = (text: string): boolean => text === secretPlaceholder || text === "***";

function storedText(row: ConnectionContent, key: ConnectionFieldKey): string {
  const property = propertyOf(key);
  if (property !== undefined) return row.properties?.[property] ?? "";
  const value = row[key as Exclude<keyof ConnectionContent, "properties">];
  return value === null || value === undefined ? "" : String(value);
}

/** Keys of secrets that are stored, of which nobody is told more than that. */
export const storedSecrets = (type: ConnectionType, row: ConnectionContent): string[] =>
  type.fields.filter(({ key }) => isPlaceholder(storedText(row, key))).map(({ key }) => key);

export const newForm = (type: ConnectionType): ConnectionForm => ({
  name: "",
  namespace: defaultNamespace,
  fields: Object.fromEntries(
    type.fields.map((field) => [field.key, { ...emptySourced, value: field.default ?? "" }]),
  ),
  kept: [],
});

export const formOf = (type: ConnectionType, row: ConnectionContent): ConnectionForm => {
  const kept = storedSecrets(type, row);
  return {
    name: row.name,
    namespace: row.namespace,
    fields: Object.fromEntries(
      type.fields.map((field) => {
        const text = kept.includes(field.key) ? "" : storedText(row, field.key);
        return [field.key, field.valueSource ? sourcedOf(text) : { ...emptySourced, value: text }];
      }),
    ),
    kept,
  };
};

const textIn = (form: ConnectionForm, field: ConnectionField): string => {
  const value = form.fields[field.key] ?? emptySourced;
  return (field.valueSource ? sourcedText(value) : value.value).trim();
};

/** The columns and properties that a form fills in, over those of what is stored. */
function valuesOf(
  type: ConnectionType,
  form: ConnectionForm,
  stored: ConnectionContent | null,
): ConnectionValues {
  const values: Record<string, string | boolean | undefined> = {
    url: stored?.url ?? "",
    username: stored?.username ?? "",
    password: stored?.password ?? "",
    certificate: stored?.certificate ?? "",
    insecure_tls: stored?.insecure_tls ?? false,
  };
  const properties: Record<string, string> = { ...stored?.properties };
  for (const field of type.fields) {
    const text = form.kept.includes(field.key) ? secretPlaceholder : textIn(form, field);
    const property = propertyOf(field.key);
    if (property === undefined)
      values[field.key] = field.input === "checkbox" ? text === "true" : text;
    else if (text === "") delete properties[property];
    else properties[property] = text;
  }
  return { ...values, properties };
}

/** What is to be saved. What the form does not know of a stored connection stays. */
export function readForm(
  type: ConnectionType,
  form: ConnectionForm,
  stored: ConnectionContent | null,
): ConnectionValues {
  const values = valuesOf(type, form, stored);
  if (!type.composeUrl) return values;
  const url = type.composeUrl(values);
  // An address may say more than is composed: it stays where nothing of it changes.
  const isAsStored =
    stored !== null && type.composeUrl(valuesOf(type, formOf(type, stored), stored)) === url;
  return { ...values, url: isAsStored ? (stored.url ?? url) : url };
}

/** Where the secrets of a connection are sent. */
function destination(type: ConnectionType, values: ConnectionValues): string {
  if (type.fixedService === true) return "";
  const { url = "", insecure_tls, properties = {} } = values;
  const places = ["host", "port", "scheme", "tenant", "share"].map((name) => properties[name]);
  const trusted = insecure_tls === true || properties["insecureTLS"] === "true" ? "unverified" : "";
  return [addressTarget(url), ...places, trusted].join(" ");
}

/** What is wrong with the form, by field (texts: document 3, section 5). */
export function checkForm(
  type: ConnectionType,
  form: ConnectionForm,
  stored: ConnectionContent | null,
): ConnectionErrors {
  const errors: Record<string, string> = {};
  for (const part of ["name", "namespace"] as const) {
    if (form[part].trim() === "") errors[part] = requiredText;
    else if (Array.from(form[part].trim()).length > longest)
      errors[part] = `At most ${longest} characters`;
  }
  for (const field of type.fields) {
    const value = form.fields[field.key] ?? emptySourced;
    if (form.kept.includes(field.key)) continue;
    if (field.valueSource && isHalfSourced(value)) errors[field.key] = requiredText;
    else if (field.input === "number") {
      const rules = { required: field.required, whole: true, min: 0 };
      const wrong = checkNumber(value.value, rules);
      if (wrong !== undefined) errors[field.key] = wrong;
    } else if (field.required && textIn(form, field) === "") errors[field.key] = requiredText;
  }
  if (stored && form.kept.length > 0) {
    const before = destination(type, readForm(type, formOf(type, stored), stored));
    const after = destination(type, readForm(type, form, stored));
    if (before !== after)
      for (const key of form.kept)
        errors[key] = "The address changed: write it again, so that it is not sent elsewhere.";
  }
  return errors;
}

/** What was typed into a form, over what is stored. */
export interface Typed {
  name?: string;
  namespace?: string;
  fields: Readonly<Record<string, SourcedValue>>;
  /** Stored secrets that are written anew. */
  replaced: readonly string[];
}

export const nothingTyped: Typed = { fields: {}, replaced: [] };

export const isTyped = ({ name, namespace, fields, replaced }: Typed): boolean =>
  name !== undefined ||
  namespace !== undefined ||
  replaced.length > 0 ||
  Object.keys(fields).length > 0;

export const withTyped = (latest: ConnectionForm, typed: Typed): ConnectionForm => ({
  name: typed.name ?? latest.name,
  namespace: typed.namespace ?? latest.namespace,
  fields: { ...latest.fields, ...typed.fields },
  kept: latest.kept.filter((key) => !typed.replaced.includes(key)),
});

/** What the browser may keep of it: no secret. */
export const withoutSecrets = (type: ConnectionType, typed: Typed): Typed => {
  const isSecret = (key: string) => type.fields.some((one) => one.key === key && one.secret);
  return {
    ...typed,
    fields: Object.fromEntries(Object.entries(typed.fields).filter(([key]) => !isSecret(key))),
    replaced: [],
  };
};

const isSourced = (value: unknown): value is SourcedValue =>
  typeof value === "object" &&
  value !== null &&
  ["from", "value", "name", "key"].every(
    (part) => typeof (value as Record<string, unknown>)[part] === "string",
  );

/** Whether something that was stored in the browser is what was typed. */
export function isTypedDraft(value: unknown): value is Typed {
  if (typeof value !== "object" || value === null) return false;
  const { name, namespace, fields, replaced } = value as Partial<Typed>;
  return (
    [name, namespace].every((text) => text === undefined || typeof text === "string") &&
    typeof fields === "object" &&
    fields !== null &&
    Object.values(fields).every(isSourced) &&
    Array.isArray(replaced)
  );
}
