// Searching among 100,000 checks: what an index finds, and what has to look at every row.
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import type { ResourceSelector } from "@mainstay/contract";
import sql from "sql-template-tag";
import { migrateSchema } from "../apps/server/src/schema.ts";
import { selectResources } from "../apps/server/src/features/search/compile-selector.ts";
import { searchable } from "../apps/server/src/features/search/searchable.ts";
import { check } from "../apps/server/src/features/health/resources.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { percentile } from "./http-target.ts";

const checks = Number(process.argv[2] ?? 100_000);
const rounds = 40;
const cluster = await startTestCluster();
const { superuser: connection } = await createTestDatabase(cluster);
const log = createLog("error");
const db = openDatabase({
  connection,
  applicationName: "bench",
  onError: (error) => log.error(error),
});
await migrateSchema({ db, log });
await db.run(sql`
  insert into canaries (name, namespace, labels, spec, source)
  select 'canary-' || i, 'ns-' || i % 7, '{}', '{"schedule":"@every 1m"}', 'UI' from generate_series(1, ${checks / 100}) i`);
await db.run(sql`
  insert into checks (canary_id, type, name, namespace, labels, spec, status, severity)
  select c.id, (array['http', 'tcp', 'dns', 'exec'])[1 + n % 4],
         (array['Payments', 'Checkout', 'Front page', 'Ledger', 'Search'])[1 + n % 5] || ' of ' || c.name || '-' || n,
         c.namespace, jsonb_build_object('team', 'team-' || n % 11, 'tier', 'tier-' || n % 5, 'app.kubernetes.io/name', c.name),
         '{"name":"x","url":"http://x/","responseCodes":[200]}', case when n % 20 = 0 then 'unhealthy' else 'healthy' end, 'high'
    from canaries c, generate_series(1, 100) n`);
await db.raw("vacuum analyze");

const columns = sql`checks.id, checks.name, checks.namespace, checks.type, checks.labels`;
const cases: [string, ResourceSelector[]][] = [
  ["beginning of a name", [{ search: '"payments of canary-77"', agent: "all" }]],
  ["a word that many begin with", [{ search: "payments", agent: "all" }]],
  ["begins with one word, has another", [{ search: "payments 777-5", agent: "all" }]],
  ["somewhere in the name, found often", [{ search: "*canary*", agent: "all" }]],
  ["somewhere in the name, found once", [{ search: "*777-50*", agent: "all" }]],
  ["somewhere in the name, not found", [{ search: "*nowhere*", agent: "all" }]],
  [
    "what the palette asks",
    [
      { search: '"777"', limit: 8, agent: "all" },
      { search: '(name=*"777"*|namespace="777"*)', limit: 8, agent: "all" },
    ],
  ],
  [
    "what the palette asks, not found",
    [
      { search: '"nowhere"', limit: 8, agent: "all" },
      { search: '(name=*"nowhere"*|namespace="nowhere"*)', limit: 8, agent: "all" },
    ],
  ],
  ["a label", [{ labelSelector: "team=team-3,app.kubernetes.io/name=canary-9" }]],
  ["a label that nothing has", [{ labelSelector: "team=team-99" }]],
  ["inside the spec, not found", [{ search: "spec.url=*nowhere*" }]],
  ["status and type", [{ search: "status=unhealthy type=dns" }]],
  ["a pattern of 500 stars, not found", [{ search: `*${"a*".repeat(500)}` }]],
];
console.log(`${checks} checks, first 100 by name; ms p50 / p95 of ${rounds}`);
const kind = searchable(check);
for (const [name, selectors] of cases) {
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    const statement = selectResources(kind, selectors, {
      columns,
      limit: 100,
      now: new Date(),
    })!;
    const start = performance.now();
    found = (
      await db.transaction((tx) => tx.rows(statement), {
        settings: { plan_cache_mode: "force_custom_plan", statement_timeout: "10000" },
      })
    ).length;
    times.push(performance.now() - start);
  }
  const statement = selectResources(kind, selectors, { columns, limit: 100, now: new Date() })!;
  const plan = await db.rows<{ "QUERY PLAN": string }>(sql`explain ${statement}`);
  const how = [
    ...new Set(
      plan.flatMap(
        (row) =>
          /(?:Index (?:Only )?Scan using \w+|Bitmap Index Scan on \w+|Seq Scan on \w+)/.exec(
            row["QUERY PLAN"],
          )?.[0] ?? [],
      ),
    ),
  ];
  console.log(
    `${name.padEnd(38)} ${percentile(times, 50).toFixed(1).padStart(7)} / ${percentile(times, 95).toFixed(1).padStart(7)}  ${String(found).padStart(3)} found  ${how.join(", ")}`,
  );
}
await db.close();
await cluster.stop();
