import { readFileSync } from "node:fs";
import { urlOf, createTestDatabase } from "@mainstay/testkit";
import pg from "pg";
import { inject } from "vitest";
// For the type of what `inject` gives.
import "@mainstay/testkit/global-setup.ts";
import type { FunctionDeclaration, TableDeclaration } from "../declare.ts";
import type { DataApi } from "../engine.ts";
import type { DataApiRequest } from "../request.ts";
import type { DataApiResponse } from "../respond.ts";
import { zooFunctions, zooTables, zooViews } from "./corpus.ts";

export interface Zoo {
  pool: pg.Pool;
  /** For programs that want an address. */
  url: string;
  close(): Promise<void>;
}

/** A database of the caller's own with the test schema and its rows. */
export async function openZoo(): Promise<Zoo> {
  const database = await createTestDatabase({ connection: inject("cluster") });
  const pool = new pg.Pool({ ...database.superuser, max: 4 });
  // Dropping the database ends the connections that are idle.
  pool.on("error", () => undefined);
  await pool.query(readFileSync(new URL("zoo.sql", import.meta.url), "utf8"));
  return {
    pool,
    url: urlOf(database.superuser),
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

/** Everything of the test schema, open to everybody. */
export async function openDeclarations(
  pool: pg.Pool,
): Promise<{ tables: TableDeclaration[]; functions: FunctionDeclaration[] }> {
  const { rows } = await pool.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped`,
  );
  const columns = Map.groupBy(rows, ({ table }) => table);
  const writable = zooTables.map((name) => ({
    name,
    read: "all",
    write: "all",
    writable: (columns.get(name) ?? []).map(({ column }) => column),
  }));
  return {
    tables: [...writable, ...zooViews.map((name) => ({ name, read: "all" }))],
    functions: zooFunctions.map((name) => ({ name, resource: "all" })),
  };
}

type Write<Context> = NonNullable<DataApiRequest<Context>["write"]>;

/** Runs a write and takes it back, so that every request of a list meets the same rows. */
export const undone = <Context>(pool: pg.Pool, context: Context): Write<Context> =>
  inTransaction(pool, context, "rollback");

/** Runs a write as the program does: what it did stays, unless it fails. */
export const kept = <Context>(pool: pg.Pool, context: Context): Write<Context> =>
  inTransaction(pool, context, "commit");

function inTransaction<Context>(
  pool: pg.Pool,
  context: Context,
  end: "commit" | "rollback",
): Write<Context> {
  return async (work) => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      const done = await work({ query: (text, values) => client.query(text, values) }, context);
      await client.query(end);
      return done;
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  };
}

/** How many rows of a table there are that a condition is true of. */
export async function countRows({ pool }: Zoo, table: string, where: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from ${table} where ${where}`,
  );
  return rows[0]!.n;
}

export interface Ask<Context> {
  method?: string;
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  can?: DataApiRequest<Context>["can"];
}

/** Sends requests written as in a browser: `books?select=id`. */
export function asker<Context>(api: DataApi<Context>, write?: DataApiRequest<Context>["write"]) {
  return ({
    method = "GET",
    url,
    headers = {},
    body,
    can = () => true,
  }: Ask<Context>): Promise<DataApiResponse> => {
    const mark = url.indexOf("?");
    return api.handle({
      method,
      path: decodeURIComponent(mark < 0 ? url : url.slice(0, mark)),
      query: mark < 0 ? "" : url.slice(mark + 1),
      headers,
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      can,
      write,
    });
  };
}

export const json = (response: DataApiResponse): unknown => JSON.parse(response.body ?? "null");
