// A catalog of the size that we hold ourselves to, made in the database from numbers and a seed: the same seed and sizes
// give the same items, relationships, changes and insights, only that times are counted back from when it is loaded.
//
// It takes minutes, so a benchmark that is given a directory keeps it there:
//   npm run bench catalog -- /srv/mainstay-bench-catalog
// loads it when the directory is empty and uses what is there otherwise. Remove the directory when you are done.
import type { Database } from "../apps/server/src/platform/db/database.ts";

export interface CatalogSizes {
  items: number;
  relationships: number;
  /** In the last 90 days. */
  changes: number;
  insights: number;
}

export const standardSizes: CatalogSizes = {
  items: 200_000,
  relationships: 1_000_000,
  changes: 5_000_000,
  insights: 100_000,
};

const SEED = 48;
const clusters = 20;
const namespaces = 1_000;
const nodes = 400;
/** What belongs together: a workload, what it runs, and what it reads. */
const group = 25;

/** A type, how many of a thousand items have it, and whether Kubernetes has it. */
const types: readonly (readonly [type: string, share: number])[] = [
  ["Kubernetes::Pod", 380],
  ["Kubernetes::ReplicaSet", 110],
  ["Kubernetes::ConfigMap", 80],
  ["Kubernetes::Secret", 70],
  ["Kubernetes::Service", 60],
  ["Kubernetes::Endpoints", 40],
  ["Kubernetes::ServiceAccount", 30],
  ["Kubernetes::PersistentVolumeClaim", 20],
  ["Kubernetes::Ingress", 15],
  ["Kubernetes::CronJob", 10],
  ["Kubernetes::Job", 15],
  ["Kubernetes::HelmRelease", 10],
  ["Kubernetes::NetworkPolicy", 10],
  ["AWS::EC2::Instance", 20],
  ["AWS::EBS::Volume", 30],
  ["AWS::IAM::Role", 25],
  ["AWS::IAM::Policy", 15],
  ["AWS::S3::Bucket", 10],
  ["AWS::RDS::DBInstance", 5],
  ["AWS::EC2::SecurityGroup", 10],
  ["AWS::EC2::Subnet", 5],
  ["AWS::Lambda::Function", 10],
  ["Azure::VirtualMachine", 5],
  ["Azure::StorageAccount", 5],
  ["GCP::Instance", 5],
  ["MSSQL::Database", 3],
  ["Host::Package", 2],
];

/** A change, how many of a thousand are of that type, and how bad they are. */
const changeTypes: readonly (readonly [type: string, share: number, severity: string])[] = [
  ["diff", 420, "info"],
  ["Pulled", 120, "info"],
  ["Scheduled", 90, "info"],
  ["Created", 90, "info"],
  ["Started", 80, "info"],
  ["Killing", 60, "info"],
  ["BackOff", 40, "medium"],
  ["Unhealthy", 35, "low"],
  ["FailedScheduling", 20, "high"],
  ["ScalingReplicaSet", 15, "low"],
  ["FailedMount", 10, "high"],
  ["OOMKilled", 5, "critical"],
  ["PermissionAdded", 10, "medium"],
  ["CostAnomaly", 3, "medium"],
  ["RunInstances", 2, "low"],
];

/** Every whole number of a thousand, with what it stands for. */
const wheel = (shares: readonly (readonly [string, number, ...string[]])[], place: 0 | 2) =>
  `'{${shares.flatMap(([name, share, severity]) => Array.from({ length: share }, () => (place === 0 ? name : severity))).join(",")}}'::text[]`;

const words =
  "'{payments,checkout,ledger,search,front,basket,mail,stock,prices,login,reports,images,audit,queue,cache,router,billing,orders,shipping,reviews}'::text[]";

/** Loads it into a migrated, empty database as its superuser; says what it does, which takes minutes. */
export async function loadCatalog(
  db: Database,
  sizes: CatalogSizes,
  say: (what: string) => void,
): Promise<void> {
  const client = await db.connect();
  const run = async (what: string, text: string) => {
    const begun = performance.now();
    const { rowCount } = await client.query(text);
    say(`${what}: ${rowCount ?? 0} rows in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  };
  try {
    await client.query(`
      set session_replication_role = replica;
      set maintenance_work_mem = '512MB';
      set work_mem = '128MB';
      set synchronous_commit = off;
      create function pg_temp.roll(i bigint, which int, sides bigint) returns int language sql immutable as
        $$ select (mod(hashint8extended(i, ${SEED} + which) & 9223372036854775807, sides))::int $$;
      create function pg_temp.item(i bigint) returns uuid language sql immutable as
        $$ select md5('item ${SEED} ' || i)::uuid $$`);
    const restore = [
      await withoutIndexes(client, "config_changes"),
      await withoutIndexes(client, "config_relationships"),
      await withoutIndexes(client, "config_items"),
    ];
    await run("scrapers", scrapers);
    await run("items", items(sizes));
    await run("scrapes", scrapes);
    await run("relationships", relationships(sizes));
    await run("changes", changes(sizes));
    await run("insights", insights(sizes));
    for (const one of restore) await run("indexes", one);
    await run("totals", totals);
    await run("sums", sums);
    await run("hours", hours);
    await run("facets", facets);
    await run("tags of items", itemTags);
    await run("sets of tags", tagSets);
    await run("owners", owners);
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}

type Client = Awaited<ReturnType<Database["connect"]>>;

/** Rows go in many times faster without; what was there is made again by the answer. */
async function withoutIndexes(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ drop: string; make: string }>(
    `
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
           format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
      from pg_constraint where conrelid = $1::regclass and contype = 'u'
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
      from pg_index i where indrelid = $1::regclass and not indisprimary
       and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ make }) => make).join(";\n");
}

const scrapers = `
  insert into config_scrapers (id, name, namespace, spec)
  select md5('scraper ' || n)::uuid, 'cluster-' || n, 'scrapers', '{"kubernetes":[{"clusterName":"x"}]}'
    from generate_series(0, ${clusters - 1}) n`;

/** Clusters, then namespaces in them, then nodes, then what is in namespaces: workloads, and what belongs to them. */
const items = ({ items: many }: CatalogSizes) => `
  insert into config_items (id, scraper_id, config_class, external_id, type, name, description, status, health, ready,
    cost_per_minute, cost_total_1d, cost_total_7d, cost_total_30d, config, source, labels, tags, properties, parent_id,
    path, created_by, created_at, updated_at, last_scraped_time, deleted_at, delete_reason)
  with numbered as (
    select i, i - i % ${group} as lead,
           case when i <= ${clusters} then i - 1
                when i <= ${clusters + namespaces} then i % ${clusters}
                when i <= ${clusters + namespaces + nodes} then pg_temp.roll(i, 1, ${clusters})
                else (${clusters} + 1 + pg_temp.roll(i / ${group}, 2, ${namespaces})) % ${clusters} end as cluster,
           case when i > ${clusters + namespaces + nodes}
                then ${clusters} + 1 + pg_temp.roll(i / ${group}, 2, ${namespaces}) end as namespace
      from generate_series(1, ${many}) i
  ), typed as (
    select n.*,
           case when i <= ${clusters} then 'Kubernetes::Cluster'
                when i <= ${clusters + namespaces} then 'Kubernetes::Namespace'
                when i <= ${clusters + namespaces + nodes} then 'Kubernetes::Node'
                when i % ${group} = 0 then (array['Kubernetes::Deployment', 'Kubernetes::Deployment', 'Kubernetes::StatefulSet', 'Kubernetes::DaemonSet'])[1 + pg_temp.roll(i, 3, 4)]
                else (${wheel(types, 0)})[1 + pg_temp.roll(i, 4, 1000)] end as type,
           (${words})[1 + pg_temp.roll(i / ${group}, 5, 20)] as word
      from numbered n
  ), placed as (
    select t.*, case when i <= ${clusters} then null
                     when namespace is null then pg_temp.item(cluster + 1)
                     when i % ${group} = 0 or lead <= ${clusters + namespaces + nodes} then pg_temp.item(namespace)
                     else pg_temp.item(lead) end as parent,
           case when i <= ${clusters} then null
                when namespace is null then pg_temp.item(cluster + 1)::text
                when i % ${group} = 0 or lead <= ${clusters + namespaces + nodes} then pg_temp.item(cluster + 1) || '.' || pg_temp.item(namespace)
                else pg_temp.item(cluster + 1) || '.' || pg_temp.item(namespace) || '.' || pg_temp.item(lead) end as ancestors,
           pg_temp.roll(i, 6, 1000) as luck
      from typed t
  )
  select pg_temp.item(i), md5('scraper ' || cluster)::uuid, split_part(type, '::', -1),
         array['ext/' || i, pg_temp.item(i)::text], type,
         word || '-' || substr(md5('name' || i), 1, 10), case when luck % 7 = 0 then 'part of the ' || word || ' service' end,
         case when luck < 40 then 'CrashLoopBackOff' when luck < 90 then 'Pending' when luck < 800 then 'Running' end,
         case when luck < 40 then 'unhealthy' when luck < 90 then 'warning' when luck < 850 then 'healthy' when luck < 900 then 'unknown' end,
         luck > 60,
         case when type like 'AWS%' then (1 + luck) / 10000.0 end, case when type like 'AWS%' then luck / 7.0 end,
         case when type like 'AWS%' then luck end, case when type like 'AWS%' then luck * 4.3 end,
         jsonb_build_object('kind', type, 'spec', jsonb_build_object('replicas', luck % 9, 'image', 'registry/' || word || ':' || md5('image' || i / 7),
           'env', (select jsonb_agg(jsonb_build_object('name', 'V' || k, 'value', md5(i || '-' || k))) from generate_series(1, 8) k)),
           'status', (select jsonb_agg(jsonb_build_object('type', 'C' || k, 'reason', md5(i || '+' || k), 'message', md5(k || '/' || i) || md5(k || '-' || i)))
                        from generate_series(1, 16) k)),
         'kubernetes', jsonb_build_object('app', word, 'team', 'team-' || pg_temp.roll(lead, 7, 30), 'tier', 'tier-' || luck % 4,
           'version', 'v' || luck % 50, 'app.kubernetes.io/name', word || '-' || lead % 997, 'pod-template-hash', substr(md5('h' || lead), 1, 10)),
         jsonb_strip_nulls(jsonb_build_object('cluster', 'cluster-' || cluster, 'namespace', 'ns-' || (namespace - ${clusters}),
           'zone', 'eu-' || 1 + cluster % 3 || (array['a', 'b', 'c'])[1 + luck % 3])),
         case when luck % 5 = 0 then '[{"name":"owner","text":"somebody"}]'::jsonb end,
         parent, ancestors, null,
         now() - interval '1 day' * pg_temp.roll(i, 8, 700), now() - interval '1 minute' * pg_temp.roll(i, 9, 100000), now(),
         case when luck >= 980 and i > ${clusters + namespaces + nodes} and i % ${group} <> 0 then now() - interval '1 hour' * pg_temp.roll(i, 10, 160) end,
         case when luck >= 980 and i > ${clusters + namespaces + nodes} and i % ${group} <> 0 then 'STALE' end
    from placed`;

const scrapes = `
  insert into config_item_scrapes (config_id, scraper_id, seen_at, digest)
  select id, scraper_id, now(), decode(md5(id::text), 'hex') from config_items`;

/** Every item hangs on its parent; the rest mostly ties what belongs together, and a tenth ties nodes to pods. */
const relationships = ({ items: many, relationships: all }: CatalogSizes) => `
  insert into config_relationships (config_id, related_id, relation, created_at, updated_at, deleted_at)
  select parent_id, id, 'hard', created_at, created_at, deleted_at from config_items where parent_id is not null
  union all
  select pg_temp.item(one), pg_temp.item(other), relation, now() - interval '20 days', now() - interval '20 days',
         case when pg_temp.roll(one * 31 + other, 11, 50) = 0 then now() - interval '3 days' end
    from (select distinct one, other, relation from (
      select case when n % 10 = 0 then ${clusters + namespaces + 1} + pg_temp.roll(n, 12, ${nodes}) else home end as one,
             case when n % 10 = 0 then home else home - home % ${group} + pg_temp.roll(n, 13, ${group}) end as other,
             case when n % 10 = 0 then 'NodePod' else (array['ReplicaSetPod', 'PodSecret', 'PodConfigMap', 'ServicePod', 'PodServiceAccount'])[1 + pg_temp.roll(n, 14, 5)] end as relation
        from (select n, ${clusters + namespaces + nodes + group} + pg_temp.roll(n, 15, ${many - clusters - namespaces - nodes - 2 * group}) as home
                from generate_series(1, ${all - many}) n) homes) pairs
     where one <> other) ties`;

/** Evenly over 90 days in the order of time. Few items have most of them, and every item has some. */
const changes = ({ items: many, changes: all }: CatalogSizes) => `
  insert into config_changes (id, config_id, external_change_id, external_created_by, change_type, severity, source, summary,
                              patches, diff, details, created_at, count, fingerprint, first_observed)
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5('change' || n), 1, 20))::uuid,
         pg_temp.item(1 + least(${many - 1}, floor(${many} * power(pg_temp.roll(n, 16, 1000000) / 1000000.0, 3)))::bigint * 7919 % ${many}),
         case when n % 2 = 0 then 'event-' || n end, case when n % 9 = 0 then 'user-' || pg_temp.roll(n, 17, 300) || '@example.com' end,
         (${wheel(changeTypes, 0)})[1 + luck],
         (${wheel(changeTypes, 2)})[1 + luck], case when luck < 420 then 'kubernetes/diff' else 'kubernetes/events' end,
         (${words})[1 + pg_temp.roll(n, 18, 20)] || ' was seen to change, for the time number ' || n,
         case when luck < 60 then jsonb_build_object('spec', jsonb_build_object('image', md5('p' || n))) end,
         case when luck < 60 then '--- before' || chr(10) || '+++ after' || chr(10) || '-' || md5('b' || n) || chr(10) || '+' || md5('a' || n) end,
         case when n % 3 = 0 then jsonb_build_object('reason', luck, 'host', 'node-' || luck % 400) end,
         at, 1 + pg_temp.roll(n, 19, 40) / 36, case when n % 4 = 0 then md5('f' || n) end, at
    from (select n, now() - interval '90 days' * (1 - n::float8 / ${all}) as at, pg_temp.roll(n, 20, 1000) as luck
            from generate_series(1, ${all}::bigint) n) numbered`;

const insights = ({ items: many, insights: all }: CatalogSizes) => `
  insert into config_analysis (id, config_id, source, analyzer, analysis_type, severity, summary, status, message, analysis,
                               first_observed, last_observed)
  select md5('insight ' || n)::uuid, pg_temp.item(1 + pg_temp.roll(n, 21, ${many})), 'trivy', 'analyzer-' || pg_temp.roll(n, 22, 40),
         (array['security', 'cost', 'compliance', 'reliability', 'performance', 'other'])[1 + pg_temp.roll(n, 23, 6)],
         (array['critical', 'high', 'medium', 'low', 'low', 'info', 'info', 'info'])[1 + pg_temp.roll(n, 24, 8)],
         'finding ' || n, case when n % 5 < 3 then 'open' when n % 5 = 3 then 'resolved' else 'silenced' end, '<p>finding ' || n || '</p>',
         '{"rule":"r"}', now() - interval '1 minute' * pg_temp.roll(n, 25, 120000), now() - interval '1 minute' * pg_temp.roll(n, 26, 3000)
    from generate_series(1, ${all}) n`;

const totals = `
  with windowed as (update config_change_window set since = now() - interval '30 days' returning since)
  insert into config_change_totals (config_id, change_type, severity, total)
  select config_id, coalesce(change_type, ''), coalesce(severity, 'info'), count(*)
    from config_changes, windowed where created_at > windowed.since group by 1, 2, 3`;

const sums = `
  insert into config_change_sums (config_id, type, total, critical, high, medium, low)
  select config_id, (select i.type from config_items i where i.id = config_id), sum(total), coalesce(sum(total) filter (where severity = 'critical'), 0),
         coalesce(sum(total) filter (where severity = 'high'), 0), coalesce(sum(total) filter (where severity = 'medium'), 0),
         coalesce(sum(total) filter (where severity = 'low'), 0)
    from config_change_totals group by config_id`;

const hours = `
  insert into config_change_hours (hour, change_type, severity, total, is_summed)
  select date_trunc('hour', created_at, 'UTC'), change_type, severity, count(*), true
    from config_changes group by 1, 2, 3 order by 1`;

const itemTags = `
  insert into config_item_tags (config_id, tag_set) select id, tag_set_of(tags) from config_items`;

const tagSets = `
  insert into config_tag_sets (id, tags) select distinct on (tag_set_of(tags)) tag_set_of(tags), tags from config_items`;

const owners = `
  insert into config_item_owners (config_id, owners) select id, owners_of(labels, tags, config, properties) from config_items`;

const facets = `
  insert into config_facets (kind, key, value, items, deleted)
  select kind, key, value, count(*) filter (where deleted_at is null), count(*) filter (where deleted_at is not null) from (
    select 'tag' as kind, p.*, deleted_at from config_items, jsonb_each_text(tags) p
    union all
    select 'label', p.*, deleted_at from config_items, jsonb_each_text(labels) p) pairs
   group by 1, 2, 3`;
