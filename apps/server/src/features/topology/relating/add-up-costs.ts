import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";

/**
 * What components cost: the items that belong to them, and to all that lies below them, each of which counts once. Only
 * rows that differ are written, in the order of their ids.
 */
export const addUpCosts = (ctx: Ctx): Promise<number> =>
  ctx.db.run(sql`
    with belonging as (
      select c.id as component_id, r.config_id
        from components c join config_component_relationships r on r.component_id = c.id and r.deleted_at is null
       where c.deleted_at is null
       union
      select above.id::uuid, r.config_id
        from components c
        join config_component_relationships r on r.component_id = c.id and r.deleted_at is null
       cross join unnest(string_to_array(nullif(c.path, ''), '.')) above (id)
       where c.deleted_at is null),
    costs as (
      select b.component_id, sum(i.cost_per_minute) as per_minute, sum(i.cost_total_1d) as d1,
             sum(i.cost_total_7d) as d7, sum(i.cost_total_30d) as d30
        from belonging b join config_items i on i.id = b.config_id and i.deleted_at is null
       group by 1),
    differing as (
      select c.id, k.per_minute, k.d1, k.d7, k.d30
        from components c left join costs k on k.component_id = c.id
       where c.deleted_at is null
         and (c.cost_per_minute, c.cost_total_1d, c.cost_total_7d, c.cost_total_30d)
             is distinct from (k.per_minute::numeric(16,4), k.d1::numeric(16,4), k.d7::numeric(16,4), k.d30::numeric(16,4))
       order by c.id for update of c)
    update components c
       set cost_per_minute = d.per_minute, cost_total_1d = d.d1, cost_total_7d = d.d7, cost_total_30d = d.d30
      from differing d where d.id = c.id`);
