import {
  longestViewName,
  longestViewSearch,
  mostViews,
  type SavedView,
  type ViewPage,
  viewPages,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import { z } from "zod";
import { isStorable } from "#features/identity/index.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { conflict, forbidden, notFound } from "#platform/errors.ts";

const storable = "It has characters that cannot be kept.";
const parts = {
  name: z
    .string()
    .trim()
    .min(1, "A view needs a name.")
    .max(longestViewName)
    .refine(isStorable, storable),
  search: z.string().max(longestViewSearch).refine(isStorable, storable),
  is_default: z.boolean(),
};
export const ViewsOfPage = z.object({ page: z.enum(viewPages) });
export const NewView = ViewsOfPage.extend({
  ...parts,
  is_default: parts.is_default.default(false),
});
export const ViewChange = z.object(parts).partial();

/** Everybody keeps views of their own, whatever their roles, and sees nobody else's. */
function personOf({ actor }: Ctx): string {
  if (actor.kind !== "person") throw forbidden("Views are saved by people who are signed in.");
  return actor.id;
}

export async function listViews(
  ctx: Ctx,
  { page }: { page: ViewPage },
): Promise<{ views: SavedView[] }> {
  // Whoever is nobody has none, and the page asks all the same.
  if (ctx.actor.kind !== "person") return { views: [] };
  const views = await ctx.db.rows<SavedView>(sql`
    select id, name, search, is_default from saved_views
     where person_id = ${personOf(ctx)} and page = ${page} order by lower(name), id`);
  return { views };
}

export async function saveView(ctx: Ctx, input: z.output<typeof NewView>): Promise<SavedView> {
  const person = personOf(ctx);
  const { page, name, search, is_default: isDefault } = input;
  return ctx.tx(async (tx) => {
    await lockPerson(tx, person);
    const known = await tx.rows<{ name: string }>(
      sql`select name from saved_views where person_id = ${person} and page = ${page}`,
    );
    if (known.some((view) => view.name === name)) throw nameTaken(name);
    if (known.length >= mostViews)
      throw conflict(`You have saved ${mostViews} views, which is the most. Delete one first.`);
    if (isDefault) await dropDefault(tx, person, page);
    const view = await tx.first<SavedView>(sql`
      insert into saved_views (person_id, page, name, search, is_default)
      values (${person}, ${page}, ${name}, ${search}, ${isDefault})
      returning id, name, search, is_default`);
    return view!;
  });
}

export async function changeView(
  ctx: Ctx,
  id: string,
  change: z.output<typeof ViewChange>,
): Promise<SavedView> {
  const person = personOf(ctx);
  return ctx.tx(async (tx) => {
    await lockPerson(tx, person);
    const view = await tx.first<SavedView & { page: string }>(
      sql`select id, page, name, search, is_default from saved_views where id = ${id} and person_id = ${person}`,
    );
    if (!view) throw noView();
    const {
      name = view.name,
      search = view.search,
      is_default: isDefault = view.is_default,
    } = change;
    const twin = await tx.first(sql`
      select from saved_views
       where person_id = ${person} and page = ${view.page} and name = ${name} and id <> ${id}`);
    if (twin) throw nameTaken(name);
    if (isDefault) await dropDefault(tx, person, view.page);
    const changed = await tx.first<SavedView>(sql`
      update saved_views set name = ${name}, search = ${search}, is_default = ${isDefault}, updated_at = now()
       where id = ${id} returning id, name, search, is_default`);
    return changed!;
  });
}

export async function deleteView(ctx: Ctx, id: string): Promise<{ id: string }> {
  const person = personOf(ctx);
  const gone = await ctx.db.first<{ id: string }>(
    sql`delete from saved_views where id = ${id} and person_id = ${person} returning id`,
  );
  if (!gone) throw noView();
  return gone;
}

/** Who saves at the same time waits: how many there are, their names and the default are said of all of them. */
const lockPerson = (tx: Tx, person: string) =>
  tx.run(sql`select from people where id = ${person} for update`);

const dropDefault = (tx: Tx, person: string, page: string) =>
  tx.run(
    sql`update saved_views set is_default = false where person_id = ${person} and page = ${page} and is_default`,
  );

const nameTaken = (name: string) => conflict(`You have a view called "${name}" already.`);
const noView = () => notFound("You have no such view.");
