import { createHash } from "node:crypto";
import sql from "sql-template-tag";
import { searchable, selectorCondition } from "#features/search/index.ts";
import type { Ctx } from "#platform/context.ts";
import { AppError, invalid } from "#platform/errors.ts";
import { component } from "../resources.ts";
import { selectorOf } from "../selector-of.ts";

/** Components of one team at most. */
const mostComponents = 5000;
/** Of all teams together. */
const mostFound = 200_000;

interface Found {
  team_id: string;
  component_id: string;
  selector_id: string;
}

/** Gives teams the components that they select (`spec.components`), and takes back what they no longer do. */
export async function relateTeams(ctx: Ctx): Promise<{ related: number; errors: string[] }> {
  const teams = await ctx.db.rows<{ id: string; name: string; components: unknown[] }>(sql`
    select id, name, spec -> 'components' as components from teams
     where deleted_at is null and jsonb_typeof(spec -> 'components') = 'array' order by id`);
  const errors: string[] = [];
  const found = new Map<string, Found>();
  for (const { id, name, components } of teams)
    for (const query of components) {
      ctx.signal.throwIfAborted();
      try {
        const selector = selectorOf(query);
        const where = selectorCondition(searchable(component), [selector], {
          now: ctx.clock.now(),
          path: "components",
        });
        const rows = await ctx.db.rows<{ id: string }>(sql`
          select components.id from components where ${where} order by components.id limit ${mostComponents}`);
        const key = createHash("sha256")
          .update(JSON.stringify(selector))
          .digest("hex")
          .slice(0, 32);
        for (const one of rows) {
          if (found.size === mostFound)
            throw invalid(
              `All teams together have ${mostFound} components, and get no more: the others are left out.`,
            );
          found.set(`${id}/${one.id}`, { team_id: id, component_id: one.id, selector_id: key });
        }
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        errors.push(`${name}: ${error.message}`);
      }
    }
  const json = JSON.stringify([...found.values()]);
  await ctx.db.transaction(async (tx) => {
    const given = sql`jsonb_to_recordset(${json}::jsonb) g (team_id uuid, component_id uuid, selector_id text)`;
    await tx.run(sql`
      insert into team_components (team_id, component_id, selector_id)
      select g.team_id, g.component_id, g.selector_id from ${given}
        join teams t on t.id = g.team_id and t.deleted_at is null
        join components c on c.id = g.component_id and c.deleted_at is null
       order by 1, 2
      on conflict (team_id, component_id) do nothing`);
    await tx.run(sql`
      delete from team_components t
       where t.selector_id is not null
         and not exists (select from ${given} where g.team_id = t.team_id and g.component_id = t.component_id)`);
  });
  return { related: found.size, errors };
}
