import { Readable } from "node:stream";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import { attachment } from "#platform/http/attachment.ts";
import { isThere } from "./list-artifacts.ts";

export interface OpenArtifact {
  headers: Record<string, string>;
  /** Read while it is sent, a piece at a time; no connection of the database is held for a reader who is slow. */
  content: () => Readable;
}

interface Row {
  filename: string;
  content_type: string | null;
  size: number;
  checksum: string;
  pieces: number;
}

/** What a browser would do with a file that somebody's program has written is nothing but keep it. */
const inert = {
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "cache-control": "private, no-store",
};

export async function openArtifact(ctx: Ctx, id: string): Promise<OpenArtifact> {
  ctx.require("canaries", "read");
  const row = await ctx.db.first<Row>(sql`
    select filename, content_type, size, checksum,
           (select count(*) from artifact_pieces p where p.artifact_id = artifacts.id) as pieces
      from artifacts where id = ${id} and check_id is not null and ${isThere}`);
  if (!row)
    throw notFound("There is no such file. Files are kept for a time, and go with their check.");
  if (row.size > 0 && row.pieces === 0)
    throw notFound("The bytes of this file are not on this server.");
  return {
    headers: {
      ...inert,
      "content-type": row.content_type ?? "application/octet-stream",
      "content-length": String(row.size),
      "content-disposition": attachment(row.filename),
      etag: `"${row.checksum}"`,
    },
    content: () => Readable.from(piecesOf(ctx, { id, ...row }), { objectMode: false }),
  };
}

async function* piecesOf(
  { db }: Pick<Ctx, "db">,
  { id, pieces, size }: { id: string; pieces: number; size: number },
): AsyncGenerator<Buffer> {
  let sent = 0;
  for (let position = 0; position < pieces; position += 1) {
    const piece = await db.first<{ bytes: Buffer }>(
      sql`select bytes from artifact_pieces where artifact_id = ${id} and position = ${position}`,
    );
    if (!piece) throw new Error(`the file ${id} was deleted while it was read`);
    sent += piece.bytes.length;
    yield piece.bytes;
  }
  if (sent !== size) throw new Error(`the file ${id} has ${sent} bytes in place of ${size}`);
}
