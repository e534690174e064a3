import { ApiError } from "../errors.ts";

/** Types a value may be cast to: plain ones only, since a cast to others can look things up in the catalog. */
// prettier-ignore
const castTypes: ReadonlySet<string> = new Set([
  "text", "varchar", "char", "bpchar", "character varying", "character", "int", "integer", "int2", "int4", "int8",
  "smallint", "bigint", "numeric", "decimal", "real", "float4", "float8", "double precision", "bool", "boolean",
  "date", "time", "timetz", "timestamp", "timestamptz", "interval", "uuid", "json", "jsonb", "bytea", "inet", "cidr",
]);

/** The type as SQL. What may not be cast to is one that does not exist. */
export function knownType({ anyType }: { anyType: boolean }, type: string): string {
  if (anyType) return quotedType(type);
  if (!castTypes.has(type.toLowerCase()))
    throw new ApiError(400, "42704", `type "${type}" does not exist`);
  return type.toLowerCase();
}

/** A type as PostgREST sends it on: its name as it is written, which cannot end the expression it stands in. */
function quotedType(type: string): string {
  if (!/^[\p{L}\p{Nd}_$ .]+(?:\(\d+(?:,\d+)?\))?(?:\[\])*$/u.test(type))
    throw new ApiError(400, "42704", `type "${type}" does not exist`);
  return type;
}
