import { type Address, MAX_ADDRESS_LENGTH, normalAddress } from "#platform/address.ts";
import type { Fields } from "./flows/method.ts";
import { messages, type UiText } from "./flows/messages.ts";
import { input, type NodeGroup, type UiNode } from "./flows/ui-nodes.ts";

/** What is known about a person, in the shape of the identity service. */
export interface Traits {
  email?: Address;
  name?: { first?: string; last?: string };
}

export const MAX_NAME_LENGTH = 100;

/** Can be stored, and means the same to everybody. */
export const isStorable = (value: string): boolean =>
  value.isWellFormed() && !/\p{Cc}/u.test(value);

// Turns round what stands beside it, so that a name reads as another.
const turning = /[\u202a-\u202e\u2066-\u2069]/;

/** Can be told from nothing, and is read as it is written, whatever the script. */
export const isName = (value: string): boolean =>
  isStorable(value) && !turning.test(value) && /[\p{L}\p{N}\p{P}\p{S}]/u.test(value);

const traitFields = {
  "traits.email": {
    label: messages.traitEmailLabel,
    type: "email",
    required: true,
    autocomplete: "email",
  },
  "traits.name.first": { label: messages.firstNameLabel, type: "text" },
  "traits.name.last": { label: messages.lastNameLabel, type: "text" },
} as const;
type TraitField = keyof typeof traitFields;
const traitFieldNames = Object.keys(traitFields) as TraitField[];

/** The fields of a form about oneself. */
export function traitNodes(group: NodeGroup, values: Record<string, string>): UiNode[] {
  return traitFieldNames.map((name) => {
    const { label, ...attributes } = traitFields[name];
    const maxlength = name === "traits.email" ? MAX_ADDRESS_LENGTH : MAX_NAME_LENGTH;
    return input(group, { name, ...attributes, value: values[name] ?? "", maxlength }, label);
  });
}

export function traitValues(traits: Traits): Record<TraitField, string> {
  return {
    "traits.email": traits.email ?? "",
    "traits.name.first": traits.name?.first ?? "",
    "traits.name.last": traits.name?.last ?? "",
  };
}

export interface ReadTraits {
  traits: Traits;
  /** To be shown again. */
  values: Record<string, string>;
  /** What is wrong, by field; empty when nothing is. */
  fieldMessages: Record<string, UiText[]>;
}

/**
 * Reads traits from a form (`traits.name.first`) or from an object (`traits: {name: {first}}`). Only the address has to
 * be there, as the schema says; what was not sent is not among the traits.
 */
export function readTraits(fields: Fields): ReadTraits {
  const values: Record<string, string> = {};
  const fieldMessages: Record<string, UiText[]> = {};
  const email = normalAddress(textAt(fields, "traits.email"));
  for (const name of traitFieldNames) {
    const value = textAt(fields, name).normalize("NFC").trim();
    const max = name === "traits.email" ? MAX_ADDRESS_LENGTH : MAX_NAME_LENGTH;
    const problem = problemOf(name, value, max);
    if (problem) fieldMessages[name] = [problem];
    values[name] = isStorable(value) ? Array.from(value).slice(0, max).join("") : "";
  }
  const first = nameIn(fields, values, "traits.name.first");
  const last = nameIn(fields, values, "traits.name.last");
  const name = {
    ...(first === undefined ? {} : { first }),
    ...(last === undefined ? {} : { last }),
  };
  return {
    traits: { ...(email ? { email } : {}), ...(Object.keys(name).length > 0 ? { name } : {}) },
    values,
    fieldMessages,
  };
}

const nameIn = (fields: Fields, values: Record<string, string>, field: TraitField) =>
  typeof fieldOf(fields, field) === "string" ? values[field] : undefined;

function problemOf(name: TraitField, value: string, max: number): UiText | undefined {
  if (value === "") return name === "traits.email" ? messages.missing(name) : undefined;
  if (Array.from(value).length > max) return messages.tooLong(max);
  if (!(name === "traits.email" ? isStorable : isName)(value)) return messages.invalidText;
  if (name === "traits.email" && normalAddress(value) === undefined) return messages.invalidAddress;
  return undefined;
}

function textAt(fields: Fields, name: TraitField): string {
  const given = fieldOf(fields, name);
  return typeof given === "string" ? given : "";
}

function fieldOf(fields: Fields, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name];
  let value: unknown = fields;
  for (const key of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
