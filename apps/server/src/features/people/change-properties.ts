import { isStorable } from "#features/identity/index.ts";
import type { Ctx } from "#platform/context.ts";
import { forbidden, invalid } from "#platform/errors.ts";
import sql from "sql-template-tag";
import { isSelf } from "./administer.ts";
import { type Fields, noSuchUser, readPersonId } from "./person-input.ts";

const MAX_LENGTH = 16 * 1024;
const MAX_DEPTH = 8;
/** Other programs of the family read a person's role from here, so nobody gives it to themselves. */
const KEPT = "role";

/** Adds to the properties of a person: one's own, or with the right to change users anybody's. A null removes a key. */
export async function changeProperties(
  ctx: Ctx,
  id: string,
  fields: Fields,
): Promise<{ message: string }> {
  const personId = readPersonId(id);
  if (!isSelf(ctx, personId)) ctx.require("identities", "write");
  if (Object.hasOwn(fields, KEPT) && !ctx.can("identities", "write"))
    throw forbidden(`The property ${KEPT} is kept by administrators.`);
  refuseUnstorable(fields, MAX_DEPTH);
  const given = JSON.stringify(fields);
  if (given.length > MAX_LENGTH) throw tooLarge();
  const length = await ctx.tx(async (tx) => {
    const row = await tx.first<{ length: number }>(sql`
      update people
         set properties = jsonb_strip_nulls(
               case jsonb_typeof(properties) when 'object' then properties else '{}' end || ${given}::jsonb),
             updated_at = now()
       where id = ${personId} and deleted_at is null and type is null
      returning length(properties::text) as length`);
    // Thrown inside, so that nothing stays written.
    if (row && row.length > MAX_LENGTH) throw tooLarge();
    return row?.length;
  });
  if (length === undefined) throw noSuchUser();
  return { message: "success" };
}

const tooLarge = () =>
  invalid(`The properties of a person have at most ${MAX_LENGTH / 1024} KiB together.`);

function refuseUnstorable(value: unknown, depth: number): void {
  if (typeof value === "string" && !isPlain(value))
    throw invalid("The properties have signs that cannot be kept.");
  if (typeof value !== "object" || value === null) return;
  if (depth === 0)
    throw invalid(`The properties of a person are nested at most ${MAX_DEPTH} deep.`);
  for (const [key, part] of Object.entries(value)) {
    if (!isPlain(key)) throw invalid("The properties have names that cannot be kept.");
    refuseUnstorable(part, depth - 1);
  }
}

/** Several lines are fine here. */
const isPlain = (text: string) => isStorable(text.replace(/[\t\r\n]/g, ""));
