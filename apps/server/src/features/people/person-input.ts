import { type Role, roles } from "@mainstay/contract";
import type { FastifyRequest } from "fastify";
import { isName, type Traits } from "#features/identity/index.ts";
import { type Address, normalAddress } from "#platform/address.ts";
import { invalid, notFound } from "#platform/errors.ts";

const MAX_NAME_LENGTH = 100;

export type Fields = Readonly<Record<string, unknown>>;

/** What was sent, as JSON or as a form. */
export function readFields({ body, headers }: FastifyRequest): Fields {
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  if (typeof body === "string" && isForm) return Object.fromEntries(new URLSearchParams(body));
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  throw invalid("The body must be an object.");
}

/**
 * Names and address; the texts are the specification's (document 3, section 5). A last name may be empty: not everybody
 * has one, the first administrator among them. Left out it is a mistake.
 */
export function readTraits(fields: Fields): Required<Traits> {
  return {
    email: readEmail(fields.email),
    name: {
      first: readName(fields, "firstName", "Please provide valid first name"),
      last: readName(fields, "lastName", "Please provide valid last name"),
    },
  };
}

function readName(fields: Fields, key: string, message: string): string {
  const value = fields[key];
  if (key === "lastName" && value === "") return "";
  const name = typeof value === "string" ? value.normalize("NFC").trim() : "";
  if (name === "" || Array.from(name).length > MAX_NAME_LENGTH || !isName(name))
    throw invalid(message, [{ path: key, message }]);
  return name;
}

function readEmail(value: unknown): Address {
  const typed = typeof value === "string" ? value : "";
  const email = normalAddress(typed);
  if (email) return email;
  const message =
    typed.trim() === ""
      ? "Please provide valid email"
      : "Entered value does not match email format";
  throw invalid(message, [{ path: "email", message }]);
}

/** One role, or none when the field is not there. */
export function readRole(fields: Fields): Role | undefined {
  const value = fields.role;
  if (value === undefined || value === null) return undefined;
  const role = roles.find((known) => known === value);
  if (role) return role;
  throw invalid("Please select any role", [
    { path: "role", message: `role must be one of ${roles.join(", ")}.` },
  ]);
}

/** The roles of a list, each once, in the order of the matrix. */
export function readRoles({ roles: given }: Fields): Role[] {
  const unknown = Array.isArray(given)
    ? given.find((value) => !roles.some((role) => role === value))
    : given;
  if (!Array.isArray(given) || unknown !== undefined) {
    const message = `roles must be a list of ${roles.join(", ")}.`;
    throw invalid(message, [{ path: "roles", message }]);
  }
  return roles.filter((role) => given.includes(role));
}

/** The state that is asked for; `active` of a form is a text. */
export function readActive({ active }: Fields): "active" | "inactive" | undefined {
  if (active === undefined || active === null) return undefined;
  if (active === true || active === "true") return "active";
  if (active === false || active === "false") return "inactive";
  throw invalid("active must be true or false.", [
    { path: "active", message: "active must be true or false." },
  ]);
}

export function readState({ state }: Fields): "active" | "inactive" {
  if (state === "active" || state === "inactive") return state;
  const message = "state must be active or inactive.";
  throw invalid(message, [{ path: "state", message }]);
}

export const noSuchUser = () => notFound("There is no such user; it may have been deleted.");

/** An id in a path or a body. What is no id is nobody's. */
export function readPersonId(value: unknown): string {
  if (typeof value === "string" && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value))
    return value.toLowerCase();
  throw noSuchUser();
}

/** Bodies of the reference's calls repeat the id of the path. */
export function refuseOtherId({ id }: Fields, personId: string): void {
  if (id === undefined || (typeof id === "string" && id.toLowerCase() === personId)) return;
  throw invalid("The id in the body is another than the one in the address.");
}
