import {
  type CanaryChange,
  type CanaryChanged,
  canaryFormat,
  isKeptInConsole,
  mostCanaryChanges,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import { z } from "zod";
import type { Ctx, Tx } from "#platform/context.ts";
import { deleteRow, saveRow } from "#platform/documents/document-rows.ts";
import { judgeParts } from "#platform/documents/judge-parts.ts";
import { KeptElsewhere } from "#platform/documents/kept-elsewhere.ts";
import { AppError, conflict, invalid, notFound } from "#platform/errors.ts";
import { canaryKind } from "./canary-kind.ts";
import type { CanaryRow } from "./check-document.ts";
import { isPaused, pausedAnnotation, resumed } from "./paused.ts";

const label = z.string().max(1024);
const canary = z.guid("This is not an id.");
export const CanaryChanges = z.object({
  changes: z
    .array(
      z.union([
        z.strictObject({ canary, paused: z.boolean() }),
        z.strictObject({
          canary,
          labels: z
            .record(label.min(1, "A label needs a name."), label.nullable())
            .refine((labels) => Object.keys(labels).length > 0, "Name a label."),
        }),
        z.strictObject({ canary, deleted: z.literal(true) }),
      ]),
    )
    .min(1)
    .max(mostCanaryChanges),
});

/** Changes canaries one by one: each is done or refused by itself, and what was done says how to undo it. */
export async function changeCanaries(
  ctx: Ctx,
  { changes }: { changes: readonly CanaryChange[] },
): Promise<{ results: CanaryChanged[] }> {
  ctx.require("canaries", "write");
  const results: CanaryChanged[] = [];
  for (const change of changes) results.push(await changeOne(ctx, change));
  return { results };
}

async function changeOne(ctx: Ctx, change: CanaryChange): Promise<CanaryChanged> {
  const { canary: id } = change;
  try {
    return await ctx.tx((tx) => changeRow(ctx, tx, change));
  } catch (error) {
    if (error instanceof AppError) {
      const reason = [error.message, ...error.issues.map(({ message }) => message)].join(" ");
      return { canary: id, outcome: "refused", reason };
    }
    ctx.log.error(error);
    return { canary: id, outcome: "refused", reason: "The server could not do it: see its log." };
  }
}

const noAgent = "00000000-0000-0000-0000-000000000000";

async function changeRow(ctx: Ctx, tx: Tx, change: CanaryChange): Promise<CanaryChanged> {
  const row = await tx.first<CanaryRow & { agent_id: string }>(
    sql`select * from canaries where id = ${change.canary} and deleted_at is null for update`,
  );
  if (!row) throw notFound("It is not there any more.");
  if (row.agent_id !== noAgent) throw conflict("It belongs to an agent: change it there.");
  if (!isKeptInConsole(row.source)) throw new KeptElsewhere(canaryKind, row);
  if ("deleted" in change) {
    await deleteRow(ctx, tx, canaryKind, row.id);
    return { canary: row.id, outcome: "deleted" };
  }
  const { parts, undo } = "paused" in change ? pause(row, change.paused) : relabel(row, change);
  if (!undo) return { canary: row.id, outcome: "unchanged" };
  const judged = judgeParts(canaryFormat, parts);
  if (judged.issues)
    throw invalid(
      "Its document would have errors.",
      judged.issues.map(({ path, message }) => ({ path: path.join("."), message })),
    );
  const { labels, annotations } = parts;
  await saveRow(ctx, tx, canaryKind, {
    document: {
      ...parts,
      ...judged,
      format: canaryFormat,
      index: 0,
      line: 1,
      // What people wrote is kept by itself, and follows the row when it is read.
      text: "",
      uid: row.id,
      labels: labels ?? {},
      annotations: annotations ?? {},
      source: parts.spec,
    },
    source: null,
  });
  return { canary: row.id, outcome: "changed", undo: { canary: row.id, ...undo } };
}

type Undo = { paused: boolean } | { labels: Record<string, string | null> };
interface Changed {
  parts: ReturnType<typeof canaryKind.toParts>;
  /** Nothing when it is so already. */
  undo?: Undo;
}

function pause(row: CanaryRow, paused: boolean): Changed {
  const parts = canaryKind.toParts(row);
  if (isPaused(row) === paused) return { parts };
  return {
    parts: paused
      ? { ...parts, annotations: { ...parts.annotations, [pausedAnnotation]: "true" } }
      : resumed(parts),
    undo: { paused: !paused },
  };
}

function relabel(
  row: CanaryRow,
  { labels: wanted }: { labels: Readonly<Record<string, string | null>> },
): Changed {
  const parts = canaryKind.toParts(row);
  const before = parts.labels ?? {};
  const differing = Object.entries(wanted).filter(
    ([name, value]) => (Object.hasOwn(before, name) ? before[name] : null) !== value,
  );
  if (differing.length === 0) return { parts };
  const labels = new Map(Object.entries(before));
  for (const [name, value] of differing)
    if (value === null) labels.delete(name);
    else labels.set(name, value);
  return {
    parts: { ...parts, labels: Object.fromEntries(labels) },
    undo: {
      labels: Object.fromEntries(
        differing.map(([name]) => [name, Object.hasOwn(before, name) ? before[name]! : null]),
      ),
    },
  };
}
