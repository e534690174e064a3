import sql, { type Sql } from "sql-template-tag";
import { mapConnectionSecrets } from "@mainstay/contract";
import type { Config } from "#platform/config.ts";
import type { Queryable } from "#platform/db/database.ts";
import { createSealer } from "#platform/sealing/sealer.ts";
import type { Connection } from "./connection.ts";
import { connectionKind, type ConnectionRow, specOfRow } from "./connection-kind.ts";
import type { Meaning } from "./parse-reference.ts";

/** A stored connection whose secrets are not to be had. The message names the connection and holds no secret. */
export class ConnectionSealed extends Error {
  override readonly name = "ConnectionSealed";
}

function conditionOf(meaning: Exclude<Meaning, { by: "address" }>): Sql {
  switch (meaning.by) {
    case "id":
      return sql`id = ${meaning.id}::uuid`;
    case "name":
      return sql`namespace = ${meaning.namespace} and name = ${meaning.name}`;
    case "type":
      return sql`namespace = ${meaning.namespace} and name = ${meaning.name} and type = ${meaning.type}`;
  }
}

/** What a reference meant until that was deleted. */
export const findDeleted = (
  db: Queryable,
  meaning: Exclude<Meaning, { by: "address" }>,
): Promise<{ namespace: string; name: string; deleted_at: Date } | undefined> =>
  db.first(sql`
    select namespace, name, deleted_at from connections
     where deleted_at is not null and ${conditionOf(meaning)} order by deleted_at desc limit 1`);

export const findRow = (
  db: Queryable,
  meaning: Exclude<Meaning, { by: "address" }>,
): Promise<ConnectionRow | undefined> =>
  db.first<ConnectionRow>(
    sql`select * from connections where deleted_at is null and ${conditionOf(meaning)}`,
  );

/** The row with its secrets. @throws ConnectionSealed */
export function openRow(config: Config, row: ConnectionRow): Connection {
  const sealer = createSealer(config, {
    name: connectionKind.format.name,
    map: mapConnectionSecrets,
  });
  const { document, failures } = sealer.open(specOfRow(row), row.sealed);
  const [failure] = failures;
  if (failure)
    throw new ConnectionSealed(
      `The ${failure.place.path} of the connection ${row.namespace}/${row.name} cannot be used: ${failure.message}`,
    );
  const { url, username, password, certificate, properties } = document as Partial<Connection>;
  return {
    id: row.id,
    name: row.name,
    namespace: row.namespace,
    type: row.type,
    ...(url !== undefined && { url }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(certificate !== undefined && { certificate }),
    insecureTls: row.insecure_tls === true,
    properties: properties ?? {},
  };
}
