import { longestNote, mostNotes } from "@mainstay/contract/catalog-notes.ts";
import sql from "sql-template-tag";
import { z } from "zod";
import type { Ctx, Tx } from "#platform/context.ts";
import { storableText } from "#platform/db/storable-text.ts";
import { conflict, forbidden, notFound } from "#platform/errors.ts";

/** What people note of an item. Everybody who reads the catalog reads them; who wrote one changes it, and deletes it. */

export const NoteInput = z.object({
  note: z
    .string()
    .trim()
    .min(1, "The note is empty.")
    .max(longestNote)
    .refine((text) => storableText(text) === text, "It has characters that cannot be kept."),
});
type NoteInput = z.output<typeof NoteInput>;

interface Note {
  id: string;
  config_id: string;
  note: string;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

function personOf({ actor }: Ctx): string {
  if (actor.kind !== "person") throw forbidden("Notes are written by people who are signed in.");
  return actor.id;
}

export async function addNote(ctx: Ctx, itemId: string, { note }: NoteInput): Promise<Note> {
  const person = personOf(ctx);
  return ctx.tx(async (tx) => {
    // Who adds at the same time waits: how many there are is said of all of them.
    const item = await tx.first(
      sql`select from config_items where id = ${itemId} for no key update`,
    );
    if (!item) throw notFound("There is no such item.");
    const counted = await tx.first<{ count: number }>(
      sql`select count(*)::int as count from config_notes where config_id = ${itemId}`,
    );
    if ((counted?.count ?? 0) >= mostNotes)
      throw conflict(`This item has ${mostNotes} notes, which is the most. Delete some first.`);
    const row = await tx.first<Note>(sql`
      insert into config_notes (config_id, note, created_by) values (${itemId}, ${note}, ${person}) returning *`);
    return row!;
  });
}

export async function changeNote(ctx: Ctx, id: string, { note }: NoteInput): Promise<Note> {
  const person = personOf(ctx);
  return ctx.tx(async (tx) => {
    if ((await authorOf(tx, id)) !== person)
      throw forbidden("Somebody else wrote this note: who wrote it changes it.");
    const row = await tx.first<Note>(
      sql`update config_notes set note = ${note}, updated_at = now() where id = ${id} returning *`,
    );
    return row!;
  });
}

/** One's own; administrators delete any. */
export async function deleteNote(ctx: Ctx, id: string): Promise<{ id: string }> {
  const person = personOf(ctx);
  const isAdministrator = ctx.actor.kind === "person" && ctx.actor.roles.includes("admin");
  return ctx.tx(async (tx) => {
    if ((await authorOf(tx, id)) !== person && !isAdministrator)
      throw forbidden(
        "Somebody else wrote this note: who wrote it, or an administrator, deletes it.",
      );
    await tx.run(sql`delete from config_notes where id = ${id}`);
    return { id };
  });
}

async function authorOf(tx: Tx, id: string): Promise<string> {
  const row = await tx.first<{ created_by: string }>(
    sql`select created_by from config_notes where id = ${id} for update`,
  );
  if (!row) throw notFound("There is no such note.");
  return row.created_by;
}
