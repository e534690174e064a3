import { randomUUID } from "node:crypto";
import type { ResourceSelector } from "@mainstay/contract";
import sql, { join, raw } from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";
import { testDatabase } from "../../../testing/app.ts";
import { selectorCondition } from "../compile-selector.ts";
import { features } from "../../../features.ts";
import { type Searchable, searchables } from "../searchable.ts";

/** Checks, configs and components that selectors are tried on, and where they stand. */

export const now = new Date("2026-06-15T12:00:00Z");
export const remote = randomUUID();
export const shop = randomUUID();
export const bank = randomUUID();
// Behind every id that the database makes, so that equals stay in one order.
export const frontId = "f0000000-0000-4000-8000-000000000000";
export const hostile = `Robert'); drop table checks;-- "q" 100% _x \\ * ; | (a)`;
/** The checks of this server itself, and two of them. */
export const local = ["Front page", "Größe 東京", hostile, "Vault", "front door"].toSorted();
export const fronts = ["Front page", "front door"];

export const kinds = searchables(features.flatMap(({ resources = [] }) => resources));
export function kindNamed(name: string): Searchable {
  const kind = kinds.get(name);
  if (!kind) throw new Error(`Nothing is searched as ${name}.`);
  return kind;
}

export interface Selectable {
  db: Database;
  /** Names of what is selected, in code point order. */
  selected: (kind: string, ...selectors: ResourceSelector[]) => Promise<string[]>;
  drop: () => Promise<void>;
}

export async function createSelectable(): Promise<Selectable> {
  const { db, drop } = await testDatabase();
  await insertAll(db);
  return {
    db,
    drop,
    async selected(kind, ...selectors) {
      const searched = kindNamed(kind);
      const rows = await db.rows<{ name: string }>(
        sql`select name from ${raw(searched.table)} where ${selectorCondition(searched, selectors, { now })}`,
      );
      return rows.map(({ name }) => name).toSorted();
    },
  };
}

async function insertAll(db: Database): Promise<void> {
  await db.run(sql`insert into agents (id, name) values (${remote}, 'Berlin')`);
  await db.run(sql`insert into canaries (id, name, namespace, spec) values
    (${shop}, 'shop', 'web', '{}'), (${bank}, 'bank', 'money', '{}')`);
  await insert(db, "checks", [
    {
      id: frontId,
      canary_id: shop,
      type: "http",
      name: "Front page",
      namespace: "web",
      status: "healthy",
      labels: { team: "red", "app.kubernetes.io/name": "front", weight: "5" },
      severity: "high",
      created_at: "2026-06-15T10:00:00Z",
    },
    {
      canary_id: shop,
      type: "http",
      name: "front door",
      namespace: "web",
      status: "unhealthy",
      labels: { team: "blue", weight: "12" },
      created_at: "2026-06-10T00:00:00Z",
      spec: { url: "https://door", retries: 3 },
    },
    {
      canary_id: bank,
      type: "tcp",
      name: "Vault",
      namespace: "money",
      status: null,
      labels: null,
      created_at: "2026-06-01T00:00:00Z",
    },
    {
      canary_id: bank,
      type: "dns",
      name: hostile,
      namespace: "money",
      status: "unhealthy",
      labels: { team: "Red" },
      created_at: "2026-01-01T00:00:00Z",
    },
    {
      canary_id: bank,
      type: "dns",
      name: "gone",
      namespace: "money",
      status: "healthy",
      labels: {},
      deleted_at: "2026-06-14T00:00:00Z",
      created_at: "2026-01-01T00:00:00Z",
    },
    {
      canary_id: bank,
      agent_id: remote,
      type: "http",
      name: "Front of Berlin",
      namespace: "money",
      status: "healthy",
      labels: { team: "red" },
      created_at: "2026-01-01T00:00:00Z",
    },
    {
      canary_id: bank,
      type: "http",
      name: "Größe 東京",
      namespace: "money",
      status: "healthy",
      labels: null,
      created_at: "2026-01-01T00:00:00Z",
    },
  ]);
  await insert(db, "config_items", [
    {
      config_class: "Pod",
      type: "Kubernetes::Pod",
      name: "web-1",
      tags: { namespace: "shop", zone: "a" },
      labels: { app: "web" },
      health: null,
      external_id: ["Pod/web-1", "alias"],
      properties: [
        { name: "owner", text: "Ada" },
        { name: "cpu", value: 250 },
      ],
      config: { spec: { replicas: 3, image: "nginx:1.27" } },
    },
    {
      config_class: "Pod",
      type: "Kubernetes::PodDisruptionBudget",
      name: "budget",
      tags: { namespace: "bank" },
      labels: null,
      health: "healthy",
      external_id: null,
      properties: { not: "a list" },
      config: "text",
    },
    {
      config_class: "VirtualMachine",
      type: "AWS::EC2::Instance",
      name: "vm",
      tags: null,
      labels: { app: "db" },
      health: "warning",
      external_id: ["i-1"],
      properties: null,
      config: null,
    },
  ]);
  await insert(db, "components", [
    {
      external_id: "c1",
      name: "Checkout",
      namespace: "web",
      type: "Service",
      status: "info",
      health: "unhealthy",
      labels: { tier: "1" },
      properties: [{ name: "owner", text: "Grace" }],
      summary: { healthy: 4 },
    },
    {
      external_id: "c2",
      name: "Ledger",
      namespace: "money",
      type: "Database",
      status: "healthy",
      health: "healthy",
      labels: null,
      properties: null,
      summary: null,
    },
  ]);
}

async function insert(db: Database, table: string, rows: Record<string, unknown>[]): Promise<void> {
  for (const row of rows) {
    const values = Object.entries(row).map(([column, value]) =>
      // An array of texts is a value of PostgreSQL, everything else that is an object is JSON.
      column !== "external_id" && typeof value === "object" && value !== null
        ? JSON.stringify(value)
        : column === "config"
          ? JSON.stringify(value)
          : value,
    );
    await db.run(
      sql`insert into ${raw(table)} (${raw(Object.keys(row).join(", "))}) values (${join(values)})`,
    );
  }
}
