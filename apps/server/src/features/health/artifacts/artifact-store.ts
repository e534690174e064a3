import { createHash } from "node:crypto";
import { posix } from "node:path";
import { artifactLimits, formatSize } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Config } from "#platform/config.ts";
import type { Database } from "#platform/db/database.ts";
import type { Log } from "#platform/log.ts";
import { createGate } from "#platform/gate.ts";
import { defineService } from "#platform/service.ts";
import { storableText } from "#platform/db/storable-text.ts";
import { isText } from "./hide-in-files.ts";
import { createRunArtifacts, type RunArtifacts } from "./run-artifacts.ts";

/*
 * Where files of runs are kept: in the database, which every server has (docs/decisions/0011-files-of-runs-in-the-database.md).
 * A file and its bytes are written in one transaction; a result that never comes takes its files with it (clean-up.ts).
 */

export interface ArtifactStore {
  /** For the files of one run of a stored check. */
  begin(run: { checkId: string; time: Date }): RunArtifacts;
}

/** Files that one server holds in memory at the same time. */
export const filesAtOnce = 4;
export const pieceBytes = 512 * 1024;
/** How long a server believes what it has counted; what others add meanwhile comes on top. */
const countedMs = 10_000;
const longestPath = 4096;
const longestName = 255;

interface StoreParts {
  db: Database;
  log: Log;
  config: Pick<Config, "artifactRetention" | "artifactStore">;
}

export const artifactStore = defineService("artifacts", createArtifactStore);

export function createArtifactStore({ db, log, config }: StoreParts): ArtifactStore {
  const gate = createGate({ running: filesAtOnce });
  let stored = 0;
  let countedAt = Number.NEGATIVE_INFINITY;

  async function hasRoom(bytes: number): Promise<boolean> {
    if (performance.now() - countedAt > countedMs) {
      const row = await db.first<{ bytes: number }>(
        sql`select coalesce(sum(size), 0)::bigint as bytes from artifacts`,
      );
      stored = row?.bytes ?? 0;
      countedAt = performance.now();
    }
    return stored + bytes <= config.artifactStore;
  }

  return {
    begin: ({ checkId, time }) =>
      createRunArtifacts(gate, {
        async put({ path, content }) {
          if (config.artifactStore === 0) return "this server keeps no files: ARTIFACT_STORE is 0";
          if (!(await hasRoom(content.length)))
            return `the server keeps ${formatSize(config.artifactStore)} of files, and they are used up`;
          const isThere = await insert(db, {
            checkId,
            time,
            path,
            content,
            retentionMs: config.artifactRetention,
          });
          if (!isThere) return "the check is there no more";
          stored += content.length;
          return undefined;
        },
        async clear() {
          await db.run(
            sql`delete from artifacts where check_id = ${checkId} and check_time = ${time}`,
          );
        },
        settle: () => makeRoom(db, checkId),
        failed: (error) =>
          log.error({ err: error, check: checkId }, "files of a run were not kept"),
      }),
  };
}

interface NewArtifact {
  checkId: string;
  time: Date;
  path: string;
  content: Buffer;
  retentionMs: number;
}

/** False when its check has gone meanwhile. */
function insert(
  db: Database,
  { checkId, time, path, content, retentionMs }: NewArtifact,
): Promise<boolean> {
  const checksum = createHash("sha256").update(content).digest("hex");
  const type = isText(content) ? "text/plain; charset=utf-8" : "application/octet-stream";
  return db.transaction(async (tx) => {
    const row = await tx.first<{ id: string }>(sql`
      insert into artifacts (check_id, check_time, path, filename, content_type, size, checksum, expires_at)
      select c.id, ${time}::timestamptz, ${storableText(path, longestPath)}::text,
             ${storableText(posix.basename(path), longestName)}::text, ${type}::text, ${content.length}::int,
             ${checksum}::text, now() + ${retentionMs}::bigint * interval '1 millisecond'
        from checks c where c.id = ${checkId} and c.deleted_at is null
      returning id`);
    if (!row) return false;
    for (let at = 0; at < content.length; at += pieceBytes)
      await tx.run(sql`
        insert into artifact_pieces (artifact_id, position, bytes)
        values (${row.id}, ${at / pieceBytes}, ${content.subarray(at, at + pieceBytes)})`);
    return true;
  });
}

/** Of one check so much is kept; the oldest make room. */
async function makeRoom(db: Database, checkId: string): Promise<void> {
  await db.run(sql`
    delete from artifacts where id in (
      select o.id from (
        select id, row_number() over newest as place, sum(size) over newest as bytes
          from artifacts where check_id = ${checkId}
        window newest as (order by check_time desc, id)) o
       where o.place > ${artifactLimits.checkFiles} or o.bytes > ${artifactLimits.checkBytes})`);
}
