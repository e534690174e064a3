import { setImmediate as giveWay } from "node:timers/promises";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { Arranged, Placed } from "./arrange.ts";
import type { Bone } from "./skeleton.ts";

/** Components of one question to the database. */
const PORTION = 1000;
/** Letters of one piece of an answer. */
const PIECE = 256 * 1024;

/** JSON of a component, as the database wrote it, without its closing brace. */
interface Text {
  /** What every one is told with. */
  core: string;
  /** What more is known of it; begins with a comma. Null of those that are nowhere told whole. */
  more: string | null;
}

/** The answer in pieces. Other work gets its turn between them. */
export async function writeAnswer(
  db: Queryable,
  { roots, statuses, teams, types, tags }: Arranged,
): Promise<string[]> {
  const texts = await readTexts(db, roots);
  const pieces: string[] = [];
  let piece = `{"components":[`;
  let size = 0;
  const write = (text: string) => {
    piece += text;
    size += text.length;
  };
  async function writeAll(list: readonly Placed[]): Promise<void> {
    let isFirst = true;
    for (const { bone, isWhole, below } of list) {
      const text = texts.get(bone.id);
      // Gone since it was placed.
      if (!text) continue;
      write(isFirst ? "" : ",");
      isFirst = false;
      write(text.core);
      write((isWhole && text.more) || "");
      write(tiesOf(bone));
      if (below && below.length > 0) {
        write(`,"components":[`);
        await writeAll(below);
        write("]");
      }
      write("}");
      if (size < PIECE) continue;
      pieces.push(piece);
      piece = "";
      size = 0;
      await giveWay();
    }
  }
  await writeAll(roots);
  pieces.push(
    `${piece}],"healthStatuses":${JSON.stringify(statuses)},"teams":${JSON.stringify(teams)},"types":${JSON.stringify(types)},"tags":${JSON.stringify(tags)}}`,
  );
  return pieces;
}

const ids = (list: readonly string[]) => `["${list.join('","')}"]`;
const tiesOf = ({ children, parents, teams }: Bone) =>
  (children.length > 0 ? `,"children":${ids(children)}` : "") +
  (parents.length > 0 ? `,"parents":${ids(parents)}` : "") +
  (teams.length > 0 ? `,"teams":${JSON.stringify(teams)}` : "");

async function readTexts(db: Queryable, roots: readonly Placed[]): Promise<Map<string, Text>> {
  /** Whether everything of it is told at one place at least. */
  const wanted = new Map<string, boolean>();
  const want = (list: readonly Placed[]) => {
    for (const { bone, isWhole, below } of list) {
      wanted.set(bone.id, isWhole || wanted.get(bone.id) === true);
      if (below) want(below);
    }
  };
  want(roots);
  const texts = new Map<string, Text>();
  const all = [...wanted];
  for (let at = 0; at < all.length; at += PORTION) {
    const portion = all.slice(at, at + PORTION);
    for (const { id, core, more } of await readPortion(db, portion)) texts.set(id, { core, more });
  }
  return texts;
}

const readPortion = (
  db: Queryable,
  portion: readonly (readonly [id: string, isWhole: boolean])[],
) => {
  // As a list and not as a table: so it is looked for first what hangs on them.
  const whole = portion.flatMap(([id, isWhole]) => (isWhole ? [id] : []));
  return db.rows<Text & { id: string }>(sql`
    with wanted as materialized (
      select * from unnest(${portion.map(([id]) => id)}::uuid[], ${portion.map(([, isWhole]) => isWhole)}::boolean[]) w (id, is_whole)
    ), own_checks as (
      select component_id, json_object_agg(status, n) as counts
        from (select component_id, status, count(*) as n from component_own_checks
               where component_id = any (${whole}::uuid[]) group by 1, 2) k
       group by 1
    ), own_insights as (
      select component_id, json_object_agg(analysis_type, severities) as counts
        from (select component_id, analysis_type, json_object_agg(severity, n) as severities
                from (select component_id, analysis_type, severity, count(*) as n from component_own_insights
                       where component_id = any (${whole}::uuid[]) group by 1, 2, 3) s
               group by 1, 2) a
       group by 1
    )
    select c.id,
           left(json_strip_nulls(json_build_object(
             'id', c.id, 'agent_id', c.agent_id, 'topology_id', c.topology_id, 'external_id', c.external_id,
             'path', c.path, 'parent_id', c.parent_id, 'name', c.name, 'text', c.text, 'icon', c.icon, 'type', c.type,
             'status', c.status, 'status_reason', nullif(concat_ws(' ', c.roll_up_fault, c.status_reason), ''),
             'health', c.health, 'owner', c.owner, 'namespace', c.namespace, 'labels', c.labels,
             'hidden', nullif(c.hidden, false), 'is_leaf', c.is_leaf, 'summary', c.summary,
             'order', c.position))::text, -1) as core,
           case when w.is_whole then ',' || substr(left(json_strip_nulls(json_build_object(
             'config_id', c.config_id, 'topology_type', c.topology_type, 'description', c.description,
             'lifecycle', c.lifecycle, 'tooltip', c.tooltip, 'schedule', c.schedule, 'silenced', nullif(c.silenced, false),
             'properties', c.properties, 'logs', c.log_selectors, 'selectors', c.selectors, 'configs', c.configs,
             'componentChecks', c.component_checks, 'status_expr', c.status_expr, 'health_expr', c.health_expr,
             'cost_per_minute', c.cost_per_minute, 'cost_total_1d', c.cost_total_1d, 'cost_total_7d', c.cost_total_7d,
             'cost_total_30d', c.cost_total_30d, 'created_by', c.created_by, 'created_at', c.created_at,
             'updated_at', c.updated_at, 'checks', k.counts, 'analysis', a.counts))::text, -1), 2) end as more
      from wanted w join components c on c.id = w.id and c.deleted_at is null
      left join own_checks k on k.component_id = c.id
      left join own_insights a on a.component_id = c.id`);
};
