import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { DocumentFormat } from "@mainstay/contract/documents/document-format.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import type { Resource } from "@mainstay/contract/permissions.ts";
import type { TableName } from "../db.ts";
import type { Load } from "../places/place.ts";
import { useAccess } from "../use-access.ts";

type ListedColumn = "id" | "name" | "source" | "created_at" | "deleted_at";
type DocumentTable = {
  [Table in TableName]: ListedColumn extends keyof Rows[Table] ? Table : never;
}[TableName];

/** A text that is tried, with the id of what is stored. */
export interface TriedText {
  text: string;
  id?: string;
  /** Nobody waits for what comes of it any more. */
  signal: AbortSignal;
}

/** What can be tried with a text before it is saved. It stores nothing. */
export interface DocumentTrial {
  /** What its button reads, at rest and while it works. */
  label: string;
  busyLabel: string;
  /** How a refusal begins. */
  refused: string;
  /** Makes of a text, and of the id of what is stored, what is shown beneath it; throws what is wrong with it. */
  load: () => Promise<(tried: TriedText) => Promise<ReactNode>>;
}

/** What another way of editing a text is given. */
export interface TextFormProps {
  text: string;
  onChange: (text: string) => void;
  readOnly: boolean;
  /** It was asked to be saved: what is missing is told from then on. */
  isTried: boolean;
  /** What the server has refused of this text, at its places. */
  refused?: readonly { path: string; message: string }[];
  /** Of what is stored: nothing while it is new. */
  stored?: { source: string | null };
  /** Leads to the text itself. */
  onText?: () => void;
}

/** What stands beside a text is given. */
export interface TextAsideProps {
  text: string;
  /** Where the cursor is in it. */
  offset: number;
  /** Of what is stored. */
  id: string | undefined;
}

/** A kind of documents, as a feature declares it to the console. */
export interface ConsoleDocumentKind {
  /** As documents write it: `Canary`. */
  kind: string;
  /** The same in addresses: `canary`. */
  name: string;
  /** The kind of resource that its rows are, where that has another name: `config_scraper`. */
  resourceKind?: string;
  /** In the plural, as people say it. */
  label: string;
  /** Row of the permission matrix. */
  resource: Resource;
  /** The feature flag that switches it off. */
  feature?: string;
  /** Where their rows are. */
  table: DocumentTable;
  /** What its table has no columns for. */
  without?: readonly ("namespace" | "labels")[];
  /** What the editor knows of them. It is large, and comes with the editor. */
  loadFormat: () => Promise<DocumentFormat>;
  /** Columns of its own in the list, of what its table has a column `spec` for. */
  facts?: readonly {
    id: string;
    header: string;
    /** What of the spec it is made of. */
    fields: readonly string[];
    of: (spec: Readonly<Record<string, unknown>>) => string | number | null;
  }[];
  trial?: DocumentTrial;
  /** The same text as a form. */
  loadForm?: Load<TextFormProps>;
  /** What concerns the place of the cursor; it draws nothing where it has nothing to say. */
  loadAside?: Load<TextAsideProps>;
  /** What goes with one that is deleted, as a sentence. */
  deleting: string;
}

/** What all features declare, in their order. The console gives it. */
export const DocumentKindsContext = createContext<readonly ConsoleDocumentKind[]>([]);

/** The kinds that somebody may read and that are switched on. */
export function useDocumentKinds(): readonly ConsoleDocumentKind[] {
  const all = useContext(DocumentKindsContext);
  const access = useAccess();
  return useMemo(
    () =>
      all.filter(
        ({ resource, feature }) =>
          access.gate({ read: resource, ...(feature !== undefined && { feature }) }) === "open",
      ),
    [all, access],
  );
}
