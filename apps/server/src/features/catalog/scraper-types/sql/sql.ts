import type { SqlScraper } from "@mainstay/contract";
import { queryMssql } from "#platform/outbound/sql/mssql.ts";
import { readMssqlTarget } from "#platform/outbound/sql/mssql-target.ts";
import { queryMysql } from "#platform/outbound/sql/mysql.ts";
import { readMysqlTarget } from "#platform/outbound/sql/mysql-target.ts";
import { queryPostgres } from "#platform/outbound/sql/postgres.ts";
import { readPostgresTarget } from "#platform/outbound/sql/postgres-target.ts";
import type { RowQuery, SqlFields } from "#platform/outbound/sql/read-rows.ts";
import type { Json } from "../../changes/json-patch.ts";
import type { Found } from "../../scraping/scraped.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";

/** Rows of one query; more are a failure, so that nothing is taken for gone that was only not read. */
const mostRows = 200_000;
const longestQueryMs = 600_000;

type Ask = (query: RowQuery) => Promise<unknown>;

/** Which database an address means, by its scheme; addresses without one are PostgreSQL's. */
function askerOf(fields: SqlFields, scheme: string): Ask | undefined {
  switch (scheme) {
    case "mysql":
    case "mariadb": {
      const target = readMysqlTarget(fields);
      return target && ((query) => queryMysql(target, query));
    }
    case "sqlserver":
    case "mssql": {
      const target = readMssqlTarget(fields);
      return target && ((query) => queryMssql(target, query));
    }
    default: {
      const target = readPostgresTarget(fields);
      return target && ((query) => queryPostgres(target, query));
    }
  }
}

const schemeOf = (address: string, driver: string | undefined) =>
  (/^([a-z]+):\/\//i.exec(address)?.[1] ?? driver ?? "postgres").toLowerCase();

async function* scrape({ spec, signal, connector }: ScrapeInput<SqlScraper>): AsyncIterable<Found> {
  const address = (spec as { url?: string }).url ?? spec.connection;
  const fields: SqlFields = {
    url: address,
    username: spec.auth?.username,
    password: spec.auth?.password,
  };
  const ask = askerOf(fields, schemeOf(address, spec.driver));
  if (!ask)
    throw new Error(
      "The connection is not the address of a database, such as postgres://user@host/database, mysql:// or sqlserver://.",
    );
  const rows: Json[] = [];
  let isCut = false;
  await ask({
    query: spec.query,
    signal,
    limitMs: longestQueryMs,
    connector,
    row(row) {
      if (rows.length >= mostRows) {
        isCut = true;
        return false;
      }
      rows.push(contentOf(row));
      return true;
    },
  });
  for (const content of rows) yield { kind: "content", read: { content } };
  if (isCut)
    yield {
      kind: "failure",
      message: `The query gave more than ${mostRows} rows; the first ones were read.`,
    };
}

/** A row as an object without what is null; of a single column its value, which may be JSON in a text. */
function contentOf(row: Readonly<Record<string, unknown>>): Json {
  const entries = Object.entries(row);
  if (entries.length === 1) {
    const value = valueOf(entries[0]![1]);
    return typeof value === "string" ? parsedOr(value, entries[0]![0]) : value;
  }
  return Object.fromEntries(
    entries
      .map(([name, value]) => [name, valueOf(value)] as const)
      .filter(([, value]) => value !== null),
  );
}

function parsedOr(text: string, column: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "object" && value !== null ? value : { [column]: value };
  } catch {
    return { [column]: text };
  }
}

/** Whatever class a driver makes of it. */
function valueOf(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return Number.isNaN(+value) ? null : value.toISOString();
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "object")
    return JSON.parse(
      JSON.stringify(value, (_key, inner: unknown) =>
        typeof inner === "bigint" ? inner.toString() : inner,
      ),
    ) as Json;
  return value as Json;
}

/** Rows of PostgreSQL, MySQL and SQL Server. */
export const sqlScraper = scraperType<SqlScraper>({ type: "sql", scrape });
