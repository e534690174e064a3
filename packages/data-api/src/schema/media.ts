import type { Media } from "../parse/accept.ts";
import type { ApiFunction, Schema } from "./schema.ts";

type Makers = Pick<Schema<never>, "mediaMakers">;

/**
 * What the database's own code makes of a wanted media type, by PostgREST's order: what is for these rows alone, of any
 * type or of the wanted one, where all their columns are asked for; then what is for any rows.
 */
export function madeOfRows(
  { mediaMakers }: Makers,
  rowsOf: string | undefined,
  isWhole: boolean,
  values: readonly Media[] = [],
): ((type: string) => Media | undefined) | undefined {
  const made = mediaMakers.map(({ schema, name, mediaType, isBinary, rowsOf: of }) => {
    const takes = of === undefined ? ("any rows" as const) : ("rows of the table" as const);
    return { of, media: { type: mediaType, isBinary, by: { schema, name, takes } } };
  });
  const own = isWhole
    ? [
        ...values,
        ...made.flatMap(({ of, media }) => (of !== undefined && of === rowsOf ? [media] : [])),
      ]
    : [];
  const any: Media[] = made.flatMap(({ of, media }) => (of === undefined ? [media] : []));
  if (own.length === 0 && any.length === 0) return undefined;
  return (type) =>
    own.find((media) => media.type === "*/*") ??
    own.find((media) => media.type.toLowerCase() === type) ??
    any.find((media) => media.type.toLowerCase() === type);
}

/** The same for a call: also what the function itself makes, when its result is named after a media type. */
export function madeOfCall(
  makers: Makers,
  { overloads }: ApiFunction,
  isWhole: boolean,
): ((type: string) => Media | undefined) | undefined {
  const values = overloads.flatMap(({ mediaType, returns }) =>
    mediaType === null ? [] : [{ type: mediaType, isBinary: returns === "bytea" }],
  );
  return madeOfRows(makers, overloads[0]?.rowsOf, isWhole, values);
}
