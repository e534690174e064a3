import {
  type DocumentFormat,
  type DocumentNotice,
  findTwins,
  type ParsedDocument,
  parseDocuments,
  type Problem,
  type SavedDocument,
  type SavedDocuments,
  type Twins,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx, Tx } from "../context.ts";
import { takeLocksOf } from "../db/advisory-locks.ts";
import { givingWay } from "../db/give-way.ts";
import { AppError, invalid, type Issue } from "../errors.ts";
import { refusedSecrets } from "../sealing/sealing-refusal.ts";
import { documentChanges, secretChanges } from "./document-changes.ts";
import { type DocumentKind, type DocumentRow, toDocument } from "./document-kind.ts";
import { deleteRow, listRows, placesBeside, saveRow } from "./document-rows.ts";
import { KeptElsewhere } from "./kept-elsewhere.ts";
import { inDocument } from "./locate-code.ts";
import { parseMatcher } from "./match-labels.ts";
import { driftedFrom, textOf } from "./text/document-text.ts";
import { readTexts } from "./text/kept-texts.ts";
import { saveText } from "./text/save-text.ts";
import { placeIssues, refuseProblems } from "./refuse-problems.ts";

export interface DocumentsInput {
  /** YAML or JSON; many documents, of several kinds, may follow each other. */
  text: string;
  /** Where they come from, for example a file's name; part of what tells documents apart. */
  source: string;
  /** Does everything, says what it would have done, and undoes it. Beside what is bad it says what became of the rest. */
  dryRun?: boolean;
  /** A label selector: of this source, what it selects and the text does not hold is deleted. */
  prune?: string | undefined;
  /** The kinds that are pruned; those of the text unless said. */
  pruneKinds?: readonly DocumentKind[] | undefined;
  /** Throws what must not be so when they are saved, in the same transaction. */
  before?: ((tx: Tx) => Promise<void>) | undefined;
}

/** Saves all documents of a text, or none when any of them is bad: every problem is named with its place. */
export async function saveDocuments(
  ctx: Ctx,
  kinds: readonly DocumentKind[],
  input: DocumentsInput,
): Promise<SavedDocuments> {
  // Whoever may write none has nothing read.
  const first = kinds[0]?.format.resource;
  if (first && !kinds.some(({ format }) => ctx.can(format.resource, "write")))
    ctx.require(first, "write");
  const dryRun = input.dryRun === true;
  const { documents, notices, refusal } = readText(
    input.text,
    kinds.map(({ format }) => format),
  );
  if (refusal && !dryRun) throw refusal;
  const refusals = refusal ? [refusal] : [];
  const entries: Entry[] = [];
  for (const document of documents) {
    const kind = kinds.find(({ format }) => format === document.format)!;
    const refused = await refusalOf(dryRun, () =>
      judgeFurther(ctx, input.text, { document, kind }),
    );
    if (refused instanceof AppError) refusals.push(refused);
    else entries.push({ document, kind });
  }
  const written = [...new Set(entries.map(({ kind }) => kind))];
  const matches = input.prune === undefined ? undefined : parseMatcher(input.prune);
  const pruned = matches ? (input.pruneKinds ?? written) : [];
  for (const { format } of [...written, ...pruned]) ctx.require(format.resource, "write");

  const save = async (tx: Tx) => {
    // Who prunes a source waits for whoever saves to it, and they for each other only where they name the same.
    await takeLocksOf(tx, "documentSources", [input.source], { shared: pruned.length === 0 });
    await takeNames(tx, entries, input.source);
    await input.before?.(tx);
    const saved: SavedDocument[] = [];
    const refused = [...refusals];
    const beside: DocumentNotice[] = [];
    for (const entry of entries) {
      const work = () => saveOne(ctx, tx, entry, input);
      const one = await refusalOf(dryRun, () => (dryRun ? inSavepoint(tx, work) : work()));
      if (one instanceof AppError) refused.push(one);
      else {
        saved.push(one);
        if (one.outcome === "created") beside.push(...(await noticeBeside(tx, entry, input)));
      }
    }
    // What a bad document holds would be taken for gone.
    if (matches && refused.length === 0) {
      const kept = new Set(saved.map(({ id }) => id));
      for (const kind of pruned)
        saved.push(...(await prune(ctx, tx, { kind, kept, matches, source: input.source })));
    }
    return { saved, refused, told: [...notices, ...beside].slice(0, mostNotices) };
  };
  // What follows from documents locks rows in the order of the text.
  const { saved, refused, told } = await givingWay(() =>
    dryRun ? undone(ctx, save) : ctx.tx(save),
  );
  if (refused.length === 0) return { dryRun, documents: saved, notices: told };
  throw refuseProblems(refused.flatMap(({ issues }) => issues).toSorted(byPlace), {
    code: refused[0]!.code,
    beside: { dryRun, documents: saved, notices: told },
  });
}

/** One that is saved beside another of its name: whoever pastes what a folder keeps may have meant that one. */
async function noticeBeside(
  tx: Tx,
  { document, kind }: Entry,
  { text, source }: DocumentsInput,
): Promise<DocumentNotice[]> {
  const { name, namespace } = document;
  const places = await placesBeside(tx, kind, { name, namespace, source });
  if (places.length === 0) return [];
  const message = `A ${kind.format.name} ${namespace}/${name} is kept in ${places.join(" and in ")} already: this is another one beside it.`;
  return placeIssues(text, document, [{ path: ["metadata", "name"], message }]).map(
    ({ path, message: said, line, column }) => ({ path, message: said, line, column }),
  );
}

const byPlace = (a: Issue, b: Issue) =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

/** The refusal of one document, where the others are gone on with; what refuses more than that is thrown on. */
async function refusalOf<T>(goesOn: boolean, work: () => Promise<T>): Promise<T | AppError> {
  try {
    return await work();
  } catch (error) {
    if (goesOn && error instanceof AppError && error.issues.length > 0) return error;
    throw error;
  }
}

async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.run(sql`savepoint document`);
  try {
    const value = await work();
    await tx.run(sql`release savepoint document`);
    return value;
  } catch (error) {
    await tx.run(sql`rollback to savepoint document`);
    throw error;
  }
}

async function judgeFurther(ctx: Ctx, text: string, { document, kind }: Entry): Promise<void> {
  const { source: spec, annotations } = document;
  const issues = (await kind.judge?.(ctx, { spec, annotations })) ?? [];
  if (issues.length === 0) return;
  throw refuseProblems(placeIssues(text, document, issues));
}

/** What ends a transaction whose outcome is wanted and nothing else of it. */
class Undone extends Error {}

async function undone<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  let outcome: { value: T } | undefined;
  const end = new Undone();
  try {
    await ctx.tx(async (tx) => {
      outcome = { value: await work(tx) };
      throw end;
    });
  } catch (error) {
    if (error !== end) throw error;
  }
  return outcome!.value;
}

interface Entry {
  document: ParsedDocument;
  kind: DocumentKind;
}

/** Of texts that are saved at the same time, those with a document in common wait for each other. */
async function takeNames(tx: Tx, entries: readonly Entry[], source: string): Promise<void> {
  const names = entries.flatMap(({ document: { namespace, name, uid }, kind: { format } }) => [
    JSON.stringify([format.kind, namespace, name, source]),
    ...(uid === undefined ? [] : [JSON.stringify([format.kind, uid])]),
  ]);
  await takeLocksOf(tx, "documents", names);
}

async function saveOne(
  ctx: Ctx,
  tx: Tx,
  { document, kind }: Entry,
  { text, source, dryRun }: DocumentsInput,
): Promise<SavedDocument> {
  const locate = inDocument(text, document.index);
  const { before, row, isChanged, written } = await saveRow(ctx, tx, kind, {
    document,
    source,
    locate,
  }).catch((error: unknown) => {
    throw placeRefusal(text, { document, kind }, error);
  });
  const isNew = before === undefined || before.deleted_at !== null;
  const texts = await saveText(tx, kind, { document, row, isChanged, isNew });
  const differs = isChanged || texts.isChanged || (dryRun === true && written.length > 0);
  const outcome = isNew ? "created" : differs ? "updated" : "unchanged";
  const held = kind.heldIn?.(ctx, row) ?? [];
  const saved = { ...nameOf(kind, row), outcome, held } as const;
  if (!dryRun) return { ...saved, id: row.id };
  const isDrifted =
    !isNew && differs && texts.before !== undefined
      ? driftedFrom(kind, before, { text: texts.before }) !== undefined
      : false;
  return {
    ...saved,
    ...(isDrifted && { drifted: true as const }),
    ...(isNew ? {} : { id: row.id }),
    ...(differs
      ? difference(kind, {
          before: isNew ? undefined : before,
          after: row,
          written,
          // Where nobody has written one, the stored document is shown in the order of the one that comes.
          texts: { before: texts.before ?? texts.after, after: texts.after },
        })
      : {}),
  };
}

/** What a row could not be saved for, with its place in the text where that is known. */
function placeRefusal(text: string, { document, kind }: Entry, error: unknown): unknown {
  const { name, namespace } = document;
  const conflictAt = (path: string[], message: string) =>
    refuseProblems(placeIssues(text, document, [{ path, message }]), { code: "conflict" });
  if (error instanceof KeptElsewhere) return conflictAt(["metadata", error.by], error.message);
  const { code, table } = error as { code?: unknown; table?: unknown };
  if (code === UNIQUE_VIOLATION && table === kind.table)
    return conflictAt(
      ["metadata", "name"],
      `There is already a ${kind.format.name} called "${name}" in the namespace "${namespace}".`,
    );
  const refused = refusedSecrets(error);
  return refused ? refuseProblems(placeIssues(text, document, refused)) : error;
}

const UNIQUE_VIOLATION = "23505";

const nameOf = (kind: DocumentKind, row: DocumentRow) => {
  const { name, namespace } = kind.toParts(row);
  return { kind: kind.format.kind, name, namespace };
};

interface Differing {
  before: DocumentRow | undefined;
  after?: DocumentRow | undefined;
  /** Paths of secrets that are written out. */
  written?: readonly string[];
  /** As somebody wrote them. */
  texts: { before?: string | undefined; after?: string };
}

function difference(
  kind: DocumentKind,
  { before, after, written, texts }: Differing,
): Pick<SavedDocument, "changes" | "before" | "after"> {
  const [old, now] = [before, after].map((row) => {
    if (!row) return undefined;
    const document = toDocument(kind, row);
    // Every document has one when it is stored, whether or not it was written.
    const { uid: _, ...metadata } = document.metadata;
    return { ...document, metadata };
  });
  const withoutUid = true;
  return {
    changes: [...documentChanges(old, now), ...secretChanges(before?.sealed, written)],
    ...(before && { before: textOf(kind, before, texts.before, { withoutUid }) }),
    ...(after && { after: textOf(kind, after, texts.after, { withoutUid }) }),
  };
}

async function prune(
  ctx: Ctx,
  tx: Tx,
  {
    kind,
    kept,
    matches,
    source,
  }: {
    kind: DocumentKind;
    kept: ReadonlySet<string | undefined>;
    matches: (labels: Readonly<Record<string, string>>) => boolean;
    source: string;
  },
): Promise<SavedDocument[]> {
  const rows = await listRows(tx, kind, { source, lock: true });
  const gone = rows.filter((row) => !kept.has(row.id) && matches(kind.toParts(row).labels ?? {}));
  const texts = await readTexts(
    tx,
    kind,
    gone.map(({ id }) => id),
  );
  for (const row of gone) await deleteRow(ctx, tx, kind, row.id);
  return gone.map((row) => ({
    ...nameOf(kind, row),
    id: row.id,
    outcome: "deleted",
    held: [],
    ...difference(kind, { before: row, texts: { before: texts.get(row.id)?.text } }),
  }));
}

/** Notices of one text that are told. */
const mostNotices = 100;

/** The documents of a text; refuses the text when any of them has an error, or none of them is kept here. */
export function readDocuments<Spec>(
  text: string,
  formats: readonly DocumentFormat<Spec>[],
): { documents: ParsedDocument<Spec>[]; notices: DocumentNotice[] } {
  const { refusal, ...read } = readText(text, formats);
  if (refusal) throw refusal;
  return read;
}

/** The good documents of a text, and what is wrong with the others. */
function readText<Spec>(
  text: string,
  formats: readonly DocumentFormat<Spec>[],
): { documents: ParsedDocument<Spec>[]; notices: DocumentNotice[]; refusal?: AppError } {
  const { documents: found, problems } = parseDocuments(text, { formats });
  const errors = problems.filter((problem) => problem.severity === "error");
  const twins = findTwins(found);
  errors.push(...twins.map(twinProblem));
  const refusal = errors.length > 0 ? refuseProblems(errors) : undefined;
  const documents = found.filter((one) => !twins.some(({ document }) => document === one));
  if (documents.length === 0 && refusal) throw refusal;
  // What was skipped first: it is no part of what was saved.
  const warned = problems.filter(({ severity }) => severity === "warning");
  const warnings = warned.toSorted((a, b) => Number(b.isSkipped ?? 0) - Number(a.isSkipped ?? 0));
  if (documents.length === 0) {
    const skipped = problems.filter(({ isSkipped }) => isSkipped);
    if (skipped.length > 0) throw refuseProblems(skipped);
    // Comments alone: nothing is wrong with them, and nothing is there to save.
    throw invalid("The text holds no document.");
  }
  const notices = warnings.slice(0, mostNotices);
  return {
    documents,
    notices: notices.map(({ path, message, line, column }) => ({ path, message, line, column })),
    ...(refusal && { refusal }),
  };
}

const twinProblem = ({ document, twin, path, claim }: Twins<ParsedDocument>): Problem => ({
  severity: "error",
  path,
  message: `"${claim}" is already the document at line ${twin.line}.`,
  line: document.line,
  column: 1,
  document: document.index,
});
