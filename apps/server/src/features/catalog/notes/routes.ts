import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import { addNote, changeNote, deleteNote, NoteInput } from "./notes.ts";

// A note is a comment on an item: who may comment on an incident may write one.
const access = { resource: "comments", action: "write" } as const;
const ItemId = z.object({ id: z.guid("There is no such item.") });
const NoteId = z.object({ id: z.guid("There is no such note.") });

export function routes(http: Http): void {
  http.post(
    "/api/catalog/items/:id/notes",
    { access, params: ItemId, body: NoteInput, status: 201 },
    ({ ctx, params, body }) => addNote(ctx, params.id, body),
  );
  http.patch(
    "/api/catalog/notes/:id",
    { access, params: NoteId, body: NoteInput },
    ({ ctx, params, body }) => changeNote(ctx, params.id, body),
  );
  http.delete("/api/catalog/notes/:id", { access, params: NoteId }, ({ ctx, params }) =>
    deleteNote(ctx, params.id),
  );
}
