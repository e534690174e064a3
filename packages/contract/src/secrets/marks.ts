import type { z } from "zod";

/**
 * Which parts of a document are secret is said once, by marks on the fields of its schema. The marks stand in the JSON
 * schema too, where editors see them; `map-secrets.ts` reads them there.
 */

/** Stands for a secret in what is shown, and in what is written to keep the one that is stored. */
export const secretPlaceholder = "********";

/** Where a mark stands in a JSON schema that has no word for it. */
export const markName = "x-secret";
export type Mark =
  /** Only the password inside the address. */
  | "address"
  /** Secret unless the name beside it is one of the harmless headers. */
  | "header"
  /** Secret when it holds a private key. */
  | "key";

/** Marks a field whose whole value is secret: a scalar, or the `value` of an object. */
export const secret = <Schema extends z.ZodType>(schema: Schema): Schema =>
  schema.meta({ ...schema.meta(), writeOnly: true, format: "password" });

export const secretIn = <Schema extends z.ZodType>(mark: Mark, schema: Schema): Schema =>
  schema.meta({
    ...schema.meta(),
    [markName]: mark,
    ...(mark === "header" ? { writeOnly: true, format: "password" } : {}),
  });
