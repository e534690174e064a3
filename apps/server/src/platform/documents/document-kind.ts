import type { DocumentFormat, HeldPart, WrittenDocument, WrittenSpec } from "@mainstay/contract";
import type { Ctx, Tx } from "../context.ts";
import type { KeyedIssue } from "../http/refuse-places.ts";
import type { Locate } from "../require-code.ts";
import type { Sealed } from "../sealing/sealed.ts";

/** What a document says, whatever its row looks like. */
export interface DocumentParts {
  name: string;
  namespace: string;
  labels: Record<string, string> | null;
  annotations: Record<string, string> | null;
  /** As it was written; its secrets are placeholders when it comes from a row. */
  spec: WrittenSpec;
}

/** What every table of documents has. */
export interface DocumentRow {
  id: string;
  /** Where it is kept, or the word for that (`exactSource`); nothing for the console. */
  source: string | null;
  created_at: Date | null;
  updated_at: Date | null;
  deleted_at: Date | null;
  /** The secrets of the spec; only where the format holds any. */
  sealed: Sealed;
}

/** What a row of most kinds holds: the document in columns of the same names. */
export type PlainDocumentRow = DocumentRow & DocumentParts;

export interface FollowOptions {
  /** Where the parts of the document are in what was sent. */
  locate?: Locate;
}

/**
 * A kind of document on the server: its format, where its rows are, and what follows from one. A feature lists its kinds
 * (`Feature.documents`); the routes, the command line and the row hook know no more of them than this.
 */
export interface DocumentKind<Row extends DocumentRow = DocumentRow> {
  readonly format: DocumentFormat;
  readonly table: string;
  /** Columns that tell rows apart, beside the source; without it where a name is taken for all sources. */
  readonly key: {
    readonly name: string;
    readonly namespace?: string;
    readonly isAcrossSources?: boolean;
  };
  /**
   * Where the column `source` holds a word of a list: the column (text, nothing for the console) that holds the source
   * itself, and the word that stands for one.
   */
  readonly exactSource?: { readonly column: string; word(source: string): string };
  /**
   * Where a row does not have the columns of most kinds (`plainRow`): those that hold the document, each with what the
   * spec holds under the same name. What clients post comes to `toParts` before it is judged: it must take any value.
   */
  readonly columns?: readonly string[];
  /** The columns that hold a document; not its id, source and secrets. */
  toRow(parts: DocumentParts): Record<string, unknown>;
  toParts(row: Row): DocumentParts;
  /** What is written in one way though it is read in several. */
  normalise?(spec: WrittenSpec): WrittenSpec;
  /** The spec as documents that are shown have it, where rows keep it in another form; `normalise` reads it again. */
  write?(spec: WrittenSpec): WrittenSpec;
  /** What is wrong with a document that its format accepts and only a server can tell; asked before anything is written. */
  judge?(ctx: Ctx, parts: Pick<DocumentParts, "annotations" | "spec">): Promise<KeyedIssue[]>;
  /**
   * Everything that follows from a row, in the transaction that wrote it, whichever door the write came through; one
   * with `deleted_at` is being deleted. Refuses by throwing.
   */
  follow(ctx: Ctx, tx: Tx, row: Row, options: FollowOptions): Promise<void>;
  /** Parts of the document that are kept and not run. */
  heldIn?(ctx: Ctx, row: Row): HeldPart[];
}

/** The columns that hold a document, of most kinds. */
export const plainColumns: readonly string[] = [
  "name",
  "namespace",
  "labels",
  "annotations",
  "spec",
];

/** How a row with columns of the same names becomes a document and back. */
export const plainRow = {
  key: { name: "name", namespace: "namespace" },
  toRow: ({ name, namespace, labels, annotations, spec }: DocumentParts) => ({
    name,
    namespace,
    labels: labels ?? {},
    annotations: annotations ?? {},
    spec,
  }),
  toParts: ({ name, namespace, labels, annotations, spec }: PlainDocumentRow): DocumentParts => ({
    name,
    namespace,
    labels,
    annotations,
    spec,
  }),
} as const;

const isEmpty = (value: object | null) => value === null || Object.keys(value).length === 0;

/** Where a row is kept; nothing for the console. */
export function sourceOf<Row extends DocumentRow>(
  { exactSource }: Pick<DocumentKind<Row>, "exactSource">,
  row: Row,
): string | null {
  const exact = exactSource && (row as unknown as Record<string, unknown>)[exactSource.column];
  return typeof exact === "string" ? exact : row.source;
}

/** A row as the document that could be applied to make it. */
export function toDocument<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: Row,
): WrittenDocument {
  const { name, namespace, labels, annotations, spec } = kind.toParts(row);
  return {
    apiVersion: kind.format.apiVersions[0],
    kind: kind.format.kind,
    metadata: {
      name,
      namespace,
      uid: row.id,
      ...(isEmpty(labels) ? {} : { labels: labels ?? {} }),
      ...(isEmpty(annotations) ? {} : { annotations: annotations ?? {} }),
    },
    spec: kind.write ? kind.write(spec) : spec,
  };
}
