import type { AfterWrite, BeforeWrite, InputRow } from "@mainstay/data-api";
import sql from "sql-template-tag";
import { type AppError, conflict } from "#platform/errors.ts";
import { refusePlaces } from "#platform/http/refuse-places.ts";
import { table, type WriteContext } from "#platform/table.ts";
import {
  type CanaryParts,
  type CanaryRow,
  checkDocument,
  type KeyedIssue,
} from "./check-document.ts";
import { canarySealer } from "./canary-sealer.ts";
import { inRows } from "./locate-code.ts";
import { normaliseAnnotations, normaliseSpec } from "./normalise.ts";
import { hasSource } from "./source-condition.ts";
import { syncCanary } from "./sync-canary.ts";

export const canariesTable = table("canaries", {
  read: "canaries",
  write: "canaries",
  writable: ["id", "name", "namespace", "labels", "annotations", "spec", "source", "deleted_at"],
  hidden: ["sealed"],
  ignoreReadOnly: true,
  beforeWrite,
  afterWrite,
});

/** Documents are judged before anything is written; each problem is named with its place in the text that was sent. */
async function beforeWrite({
  verb,
  rows,
  context,
}: BeforeWrite<WriteContext>): Promise<InputRow[]> {
  if (verb === "delete") return rows;
  const isList = context.body.trimStart().startsWith("[");
  const sealer = canarySealer(context.ctx.config);
  const issues: KeyedIssue[] = [];
  const prepared = rows.map((row, index) => {
    const filled = verb === "insert" ? fill(row, context) : { ...row };
    const found = judge(filled, verb);
    for (const issue of found)
      issues.push(isList ? { ...issue, path: [index, ...issue.path] } : issue);
    if (isObject(filled.annotations)) filled.annotations = normaliseAnnotations(filled.annotations);
    if (found.length === 0 && isObject(filled.spec)) {
      const at = isList ? [index, "spec"] : ["spec"];
      const { document, sealed } = sealer.seal(normaliseSpec(filled.spec), at);
      Object.assign(filled, { spec: document, sealed });
    }
    return filled;
  });
  if (issues.length > 0) throw refuse(context.body, issues);
  if (verb === "insert") for (const row of prepared) await refuseTwin(row, context);
  return prepared;
}

function fill(row: InputRow, { ctx }: WriteContext): InputRow {
  return {
    ...row,
    namespace: row.namespace ?? "default",
    // What is left out stays so: clients take any text for a place elsewhere, and lock the row.
    source: row.source || null,
    // Who wrote it is who asked, whatever the body says.
    ...(ctx.actor.kind === "person" ? { created_by: ctx.actor.id } : {}),
  };
}

/** An update may hold a part of the row only; the rest has been judged when it was written. */
function judge(row: InputRow, verb: "insert" | "update"): KeyedIssue[] {
  const has = (key: string) => verb === "insert" || row[key] !== undefined;
  const wrong: KeyedIssue[] = [];
  const mustBe = (key: string, kind: string, isRight: (value: unknown) => boolean) => {
    if (has(key) && !isRight(row[key])) {
      wrong.push({
        path: [key],
        message:
          row[key] === undefined ? `"${key}" is missing: expected ${kind}.` : `Expected ${kind}.`,
      });
    }
  };
  const isMap = (value: unknown) => value === null || value === undefined || isObject(value);
  mustBe("name", "a text", (value) => typeof value === "string");
  mustBe("namespace", "a text", (value) => typeof value === "string");
  mustBe("spec", "a mapping", isObject);
  mustBe("labels", "a mapping", isMap);
  mustBe("annotations", "a mapping", isMap);
  if (wrong.length > 0) return wrong;
  const parts = {
    name: "unnamed",
    namespace: "default",
    ...row,
    labels: row.labels ?? null,
    annotations: row.annotations ?? null,
    spec: row.spec ?? {},
  } as CanaryParts;
  return checkDocument(parts).issues ?? [];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const refuse = (body: string, issues: readonly KeyedIssue[]): AppError =>
  refusePlaces("The document was not saved.", body, issues);

async function refuseTwin(row: InputRow, { tx }: WriteContext): Promise<void> {
  const { name, namespace, source } = row as unknown as CanaryRow;
  const twin = await tx.first<{ id: string }>(sql`
    select id from canaries
     where name = ${name} and namespace = ${namespace} and ${hasSource(source)} and deleted_at is null`);
  if (twin) {
    throw conflict(
      `There is already a canary called "${name}" in the namespace "${namespace}". Edit that one, or choose another name.`,
    );
  }
}

async function afterWrite({ verb, rows, context }: AfterWrite<WriteContext>): Promise<void> {
  for (const [index, row] of rows.entries()) {
    const canary = row as unknown as CanaryRow;
    // A deleted row takes its checks along by its foreign keys; only its schedule is left.
    await syncCanary(
      context.ctx,
      context.tx,
      verb === "delete" ? { ...canary, deleted_at: new Date() } : canary,
      {
        runSoon: true,
        sealer: canarySealer(context.ctx.config),
        locate: inRows(context.body, index),
      },
    );
  }
}
