import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Database } from "#platform/db/database.ts";
import { entityTag, isCurrent } from "#platform/http/entity-tag.ts";
import { serverVersion } from "../../../version.ts";
import { arrange } from "./arrange.ts";
import type { TopologyQuestion } from "./question.ts";
import { type Bone, readSkeleton } from "./skeleton.ts";
import { writeAnswer } from "./write-answer.ts";

export interface TopologyReply {
  etag: string;
  /** JSON in pieces; undefined when the asker has it already. */
  pieces?: readonly string[];
}

export type TopologyService = (
  ctx: Ctx,
  question: TopologyQuestion,
  ifNoneMatch: string | undefined,
) => Promise<TopologyReply>;

/** Answers kept; with 10,000 components one is some megabytes. */
const KEPT = 2;

/**
 * Answers of the topology. What has not changed is not read again: the database counts what is changed of all that is
 * shown, so that another server's writes are seen at once; those who ask the same at the same time share one answer.
 */
export function createTopologyService(db: Database): TopologyService {
  const underWay = new Map<string, Promise<readonly string[]>>();
  const kept = new Map<string, readonly string[]>();
  let skeleton: { version: string; bones: Promise<Bone[]> } | undefined;

  function wholeSkeleton(version: string): Promise<Bone[]> {
    if (skeleton?.version === version) return skeleton.bones;
    const fresh = { version, bones: readSkeleton(db, {}) };
    skeleton = fresh;
    fresh.bones.catch(() => {
      if (skeleton === fresh) skeleton = undefined;
    });
    return fresh.bones;
  }

  async function compute(question: TopologyQuestion, version: string): Promise<readonly string[]> {
    const { ids, order, depth } = question;
    const field = order && "field" in order ? order.field : undefined;
    const bones =
      ids || field !== undefined
        ? await readSkeleton(db, {
            ...(ids && { below: { ids, depth } }),
            ...(field !== undefined && { field }),
          })
        : await wholeSkeleton(version);
    return writeAnswer(db, await arrange(bones, question));
  }

  return async (ctx, question, ifNoneMatch) => {
    ctx.require("topologies", "read");
    // Before the data: what is read afterwards is at least as new as it says.
    const row = await db.first<{ version: string }>(sql`select topology_shown() as version`);
    const version = row?.version ?? "";
    const key = `${version} ${JSON.stringify(question)}`;
    // Another version of the program may tell the same otherwise.
    const etag = entityTag(`${serverVersion} ${key}`);
    if (isCurrent(ifNoneMatch, etag)) return { etag };
    const known = kept.get(key);
    if (known) return { etag, pieces: known };
    let computing = underWay.get(key);
    if (!computing) {
      computing = compute(question, version)
        .then((pieces) => {
          kept.set(key, pieces);
          for (const old of kept.keys()) {
            if (kept.size <= KEPT) break;
            kept.delete(old);
          }
          return pieces;
        })
        .finally(() => underWay.delete(key));
      underWay.set(key, computing);
    }
    return { etag, pieces: await computing };
  };
}
