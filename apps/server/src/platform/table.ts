import type { FunctionDeclaration, TableDeclaration } from "@mainstay/data-api";
import type { Resource } from "@mainstay/contract";
import type { Ctx, Tx } from "./context.ts";

/** What the hooks of a table receive: the asker, the transaction of the write, and what was sent. */
export interface WriteContext {
  ctx: Ctx;
  tx: Tx;
  /** The request body as text, to name line and column of what is wrong with it. */
  body: string;
  /** What follows the `?` of the address, as it was sent. */
  query: string;
}

export type Table = TableDeclaration<WriteContext> & { read: Resource; write?: Resource };

/** A table or view that the data API may show, declared by the feature that owns it. */
export const table = (name: string, options: Omit<Table, "name">): Table => ({ name, ...options });

/** A function of the database that the data API may call; it reads what whoever calls it may read. */
export type RowFunction = FunctionDeclaration & { resource: Resource };
