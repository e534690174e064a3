import { isMapping, type Value } from "@mainstay/scripting";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { AppError, invalid, notFound } from "#platform/errors.ts";
import { evaluateScript, ScriptMistake } from "#platform/scripts/evaluate-script.ts";
import { scriptEvaluator } from "#platform/scripts/evaluator.ts";
import type { Asked } from "./log-source.ts";

interface Component {
  self: Record<string, Value>;
  external_id: string | null;
  log_selectors: unknown;
}

/**
 * What a component's log selector comes to: its labels and its type, which may be templates over the component (`self`)
 * and its properties. Source: server endpoints, section 4 (`POST /logs`).
 */
export async function resolveSelector(
  ctx: Ctx,
  { id, name }: { id: string; name?: string | undefined },
): Promise<Asked> {
  const component = await ctx.db.first<Component>(sql`
    select external_id, log_selectors,
           jsonb_build_object('id', id, 'name', name, 'type', coalesce(type, ''), 'namespace', coalesce(namespace, ''),
             'text', coalesce(text, ''), 'icon', coalesce(icon, ''), 'external_id', coalesce(external_id, ''),
             'status', coalesce(status::text, ''), 'health', coalesce(health::text, ''), 'owner', coalesce(owner, ''),
             'lifecycle', coalesce(lifecycle, ''), 'labels', coalesce(labels, '{}'),
             'properties', coalesce((select jsonb_object_agg(p ->> 'name', coalesce(p -> 'text', p -> 'value', '""'))
                from jsonb_array_elements(case when jsonb_typeof(properties) = 'array' then properties else '[]' end) p
               where p ->> 'name' is not null), '{}')) as self
      from components where id = ${id} and deleted_at is null`);
  if (!component) throw notFound("There is no such component.");
  const { log_selectors: said, self, external_id: externalId } = component;
  const selectors = (Array.isArray(said) ? said : []).filter((one) => isMapping(one));
  const selector = name === undefined ? selectors[0] : selectors.find((one) => one.name === name);
  if (!selector)
    throw new AppError("invalid", "The component has no such log selector.", {
      beside: { error: "Log selector was not found" },
    });
  const context = { self, properties: self.properties ?? {} };
  const fill = async (place: string, text: string): Promise<string> => {
    if (!text.includes("{{")) return text;
    try {
      const evaluator = ctx.service(scriptEvaluator);
      const filled = await evaluateScript(
        evaluator,
        { name: `logs.${place}`, language: "gotemplate", text },
        context,
      );
      return filled.text;
    } catch (error) {
      if (!(error instanceof ScriptMistake)) throw error;
      throw invalid(`The log selector of the component is at fault: ${error.message}`);
    }
  };
  const labels: Record<string, string> = {};
  for (const [label, value] of Object.entries(
    selector.labels && isMapping(selector.labels) ? selector.labels : {},
  ))
    labels[label] = await fill(
      `labels.${label}`,
      typeof value === "string" ? value : JSON.stringify(value),
    );
  const type = typeof selector.type === "string" ? await fill("type", selector.type) : undefined;
  return { labels, ...(type && { type }), ...(externalId && { externalId }) };
}
