import type { WrittenSpec } from "./document-format.ts";

/** A document as it is read again: what is secret stays a placeholder. */
export interface WrittenDocument {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    /** With its id it is the same one that is applied again, wherever it came from. */
    uid?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec: WrittenSpec;
}

/** A document as `GET /api/documents/{kind}` lists it. */
export interface StoredDocument {
  id: string;
  /** Where it is kept; nothing for the console. */
  source: string | null;
  created_at: string | null;
  updated_at: string | null;
  document: WrittenDocument;
  /** Paths of its secrets that were given up with their key; where there are any. */
  lost?: string[];
  /** What its source applied last, where the document has drifted from that. */
  applied?: string;
  /** As somebody wrote it, or in a stable order where nobody did; where it was asked for. */
  text?: string;
}

/** A part of a document that is kept and not run, and why. */
export interface HeldPart {
  type: string;
  name: string;
  reason: string;
}

/** One value of a document that differs. */
export interface DocumentChange {
  /** Dotted, from the document on. */
  path: string;
  change: "added" | "removed" | "changed";
  /** A secret that is written out: whether it is the stored one is not told. */
  secret?: true;
}

/** What became of one document, or would become of it. */
export interface SavedDocument {
  kind: string;
  /** None when it would be created. */
  id?: string;
  name: string;
  namespace: string;
  outcome: "created" | "updated" | "unchanged" | "deleted";
  held: HeldPart[];
  /** Of a dry run: somebody has changed it since its source applied it. */
  drifted?: true;
  /** Of a dry run: what differs, and both sides as YAML. */
  changes?: DocumentChange[];
  before?: string;
  after?: string;
}

/** What was not refused and is not as it is written either: documents that were skipped, fields that nothing reads. */
export interface DocumentNotice {
  /** Dotted, from the document on. */
  path: string;
  message: string;
  line: number;
  column: number;
}

/**
 * The answer of `POST /api/documents`: the documents in the order of the text, then what was pruned. The refusal of a dry
 * run says the same of the documents that are good, beside what is wrong with the others; nothing is pruned then.
 */
export interface SavedDocuments {
  dryRun: boolean;
  documents: SavedDocument[];
  notices: DocumentNotice[];
}
