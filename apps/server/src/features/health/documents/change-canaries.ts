import { isDeepStrictEqual } from "node:util";
import {
  type CanaryChange,
  type CanaryChanged,
  canaryFormat,
  consoleSource,
  isKeptInConsole,
  mostCanaryChanges,
  type PauseMarks,
  storedCanaryFormat,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import { z } from "zod";
import type { Ctx, Tx } from "#platform/context.ts";
import { deleteRow, saveRow } from "#platform/documents/document-rows.ts";
import { judgeParts } from "#platform/documents/judge-parts.ts";
import { KeptElsewhere } from "#platform/documents/kept-elsewhere.ts";
import { readDocuments, saveDocuments } from "#platform/documents/save-documents.ts";
import { shownText } from "#platform/documents/text/document-text.ts";
import { readTexts } from "#platform/documents/text/kept-texts.ts";
import { AppError, conflict, invalid, notFound } from "#platform/errors.ts";
import { canaryKind } from "./canary-kind.ts";
import { type CanaryRow, checkDocument } from "./check-document.ts";
import { isPaused, pausedAnnotation, pauseMarks, running, withMarks } from "./paused.ts";

/** Largest document; what is inside has limits of its own. */
const TEXT_LIMIT = 1024 * 1024;
const label = z.string().max(1024);
const canary = z.guid("This is not an id.");
const mark = z.string().max(1024).nullable();
const marks = z.strictObject({ paused: mark, suspend: mark, replicas: z.number().nullable() });
const labels = z.record(label.min(1, "A label needs a name."), label.nullable());
export const CanaryChanges = z.object({
  changes: z
    .array(
      z.union([
        z.strictObject({ canary, paused: z.boolean() }),
        z.strictObject({ canary, marks, from: marks }),
        z.strictObject({
          canary,
          labels: labels.refine((named) => Object.keys(named).length > 0, "Name a label."),
          from: labels.optional(),
        }),
        z.strictObject({ canary, deleted: z.literal(true) }),
        z.strictObject({ canary, removed: z.array(z.guid("This is not an id.")).min(1).max(500) }),
        z.strictObject({ canary, text: z.string().max(TEXT_LIMIT), seen: z.string().max(64) }),
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
    if ("text" in change) return await takeBack(ctx, change);
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

/** A mark of all that a document says, which nobody changes until the transaction has ended. */
const seenOf = (tx: Tx, id: string) =>
  tx.first<{ seen: string }>(sql`
    select md5(jsonb_build_array(name, namespace, labels, annotations, spec, source, deleted_at)::text) as seen
      from canaries where id = ${id} for update`);

/** Everything as it was written before, also of one that was deleted: its checks are the same rows again. */
async function takeBack(
  ctx: Ctx,
  { canary: id, text, seen }: Extract<CanaryChange, { text: string }>,
): Promise<CanaryChanged> {
  const { documents } = readDocuments(text, [canaryFormat]);
  if (documents.length !== 1 || documents[0]?.uid?.toLowerCase() !== id.toLowerCase())
    throw invalid("This is not the text of that canary.");
  await saveDocuments(ctx, [canaryKind], {
    text,
    source: consoleSource,
    async before(tx) {
      const now = await seenOf(tx, id);
      if (!now) throw notFound("It is not there any more.");
      if (now.seen !== seen) throw conflict("Somebody has changed it since.");
    },
  });
  return { canary: id, outcome: "changed" };
}

async function changeRow(
  ctx: Ctx,
  tx: Tx,
  change: Exclude<CanaryChange, { text: string }>,
): Promise<CanaryChanged> {
  const row = await tx.first<CanaryRow & { agent_id: string }>(
    sql`select * from canaries where id = ${change.canary} and deleted_at is null for update`,
  );
  if (!row) throw notFound("It is not there any more.");
  if (row.agent_id !== noAgent) throw conflict("It belongs to an agent: change it there.");
  if (!isKeptInConsole(row.source)) throw new KeptElsewhere(canaryKind, row);
  const before = "deleted" in change || "removed" in change ? await textBefore(tx, row) : "";
  const undoText = async () => {
    const now = await seenOf(tx, row.id);
    return { canary: row.id, text: before, seen: now?.seen ?? "" };
  };
  if ("deleted" in change) {
    await deleteRow(ctx, tx, canaryKind, row.id);
    return { canary: row.id, outcome: "deleted", undo: await undoText() };
  }
  if ("removed" in change) {
    const parts = await without(tx, row, change.removed);
    if (!parts) return { canary: row.id, outcome: "unchanged" };
    // A secret of what is taken out stays with the row until that is saved otherwise, for whoever takes it back.
    await save(ctx, tx, row, { parts, keepsSecrets: true });
    return { canary: row.id, outcome: "changed", undo: await undoText() };
  }
  const { parts, undo } = "labels" in change ? relabel(row, change) : pause(row, change);
  if (!undo) return { canary: row.id, outcome: "unchanged" };
  await save(ctx, tx, row, { parts });
  return { canary: row.id, outcome: "changed", undo: { canary: row.id, ...undo } };
}

async function textBefore(tx: Tx, row: CanaryRow): Promise<string> {
  return shownText(canaryKind, row, (await readTexts(tx, canaryKind, [row.id])).get(row.id));
}

type Parts = ReturnType<typeof canaryKind.toParts>;

async function save(
  ctx: Ctx,
  tx: Tx,
  row: CanaryRow,
  { parts, keepsSecrets = false }: { parts: Parts; keepsSecrets?: boolean },
): Promise<void> {
  const judged = judgeParts(storedCanaryFormat, parts);
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
    keepsSecrets,
  });
}

/** The document without these checks; nothing when it has none of them any more. */
async function without(tx: Tx, row: CanaryRow, ids: readonly string[]): Promise<Parts | undefined> {
  const parts = canaryKind.toParts(row);
  const rows = await tx.rows<{ type: string; name: string; parent_id: string | null }>(sql`
    select type, name, parent_id from checks
     where canary_id = ${row.id} and id = any(${ids}::uuid[]) and deleted_at is null`);
  const made = rows.find(({ parent_id }) => parent_id !== null);
  if (made) throw conflict(`"${made.name}" is made by another check: change that one.`);
  const checked = checkDocument(row);
  if (checked.issues) throw invalid("Its document has errors: open it and mend them first.");
  const gone = checked.checks.filter(({ type, name }) =>
    rows.some((one) => one.type === type && one.name === name),
  );
  if (gone.length === 0) return undefined;
  const spec: Record<string, unknown> = { ...parts.spec };
  for (const key of new Set(gone.map(({ path }) => String(path[0])))) {
    const places = new Set(gone.flatMap(({ path }) => (path[0] === key ? [path[1]] : [])));
    const list = spec[key];
    const left = Array.isArray(list) ? list.filter((_, place) => !places.has(place)) : [];
    if (left.length > 0) spec[key] = left;
    else delete spec[key];
  }
  return { ...parts, spec };
}

type Undo = Omit<Extract<CanaryChange, { marks: unknown }>, "canary"> | Omit<LabelChange, "canary">;
type PauseChange = Extract<CanaryChange, { paused: boolean } | { marks: unknown }>;
type LabelChange = Extract<CanaryChange, { labels: unknown }>;
interface Changed {
  parts: Parts;
  /** Nothing when it is so already. */
  undo?: Undo;
}

function pause(row: CanaryRow, change: PauseChange): Changed {
  const parts = canaryKind.toParts(row);
  const now = pauseMarks(parts);
  let wanted: PauseMarks;
  if ("marks" in change) {
    if (!isDeepStrictEqual(now, change.from))
      throw conflict("Somebody has paused or resumed it since.");
    wanted = change.marks;
  } else {
    if (isPaused(row) === change.paused) return { parts };
    wanted = change.paused ? { ...now, [pausedAnnotation]: "true" } : running(now);
  }
  if (isDeepStrictEqual(now, wanted)) return { parts };
  return { parts: withMarks(parts, wanted), undo: { marks: now, from: wanted } };
}

function relabel(row: CanaryRow, { labels: wanted, from = {} }: LabelChange): Changed {
  const parts = canaryKind.toParts(row);
  const before = parts.labels ?? {};
  const valueOf = (name: string) => (Object.hasOwn(before, name) ? before[name]! : null);
  const differing = Object.entries(wanted).filter(([name, value]) => valueOf(name) !== value);
  if (differing.length === 0) return { parts };
  const other = Object.entries(from).find(([name, value]) => valueOf(name) !== value);
  if (other) throw conflict(`Somebody has changed the label ${other[0]} since.`);
  const labels = new Map(Object.entries(before));
  for (const [name, value] of differing)
    if (value === null) labels.delete(name);
    else labels.set(name, value);
  return {
    parts: { ...parts, labels: Object.fromEntries(labels) },
    undo: {
      labels: Object.fromEntries(differing.map(([name]) => [name, valueOf(name)])),
      from: Object.fromEntries(differing),
    },
  };
}
