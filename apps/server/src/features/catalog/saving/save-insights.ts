import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { storableJson, storableText } from "#platform/db/storable-text.ts";
import type { ScrapedInsight } from "../scraping/scraped.ts";
import type { TargetFinder } from "./find-targets.ts";
import type { ScrapeSummary } from "./scrape-summary.ts";

/** It is in an index, whose entries hold 2,704 bytes. */
const longestAnalyzer = 300;

type Db = Queryable & { transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> };

export interface SaveInsightsParts {
  scraperId: string;
  targets: TargetFinder;
  summary: ScrapeSummary;
  now: Date;
}

/** The one item that is selected; which of several is meant nobody knows. */
async function selected(
  { item, orSelected }: ScrapedInsight,
  { targets, summary }: Pick<SaveInsightsParts, "targets" | "summary">,
): Promise<string | undefined> {
  if (!orSelected) return undefined;
  const found = await targets.select(orSelected);
  if (found.length > 1)
    summary.warn(
      `${item.externalId} may be one of ${found.length} items, of which none was taken.`,
      item.type,
    );
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Writes what is found wrong with items. An insight is told by its item, its analyzer and the id that it has where it
 * comes from; one that somebody has silenced stays silenced. Returns the ids of all that were written.
 */
export async function saveInsights(
  db: Db,
  insights: readonly ScrapedInsight[],
  { scraperId, targets, summary, now }: SaveInsightsParts,
): Promise<string[]> {
  if (insights.length === 0) return [];
  await targets.prepare(insights.map(({ item }) => item));
  const given = new Map<string, { configId: string; insight: ScrapedInsight }>();
  for (const insight of insights) {
    const configId = targets.find(insight.item) ?? (await selected(insight, { targets, summary }));
    if (configId === undefined)
      summary.warn(
        `The insight ${insight.analyzer} is about ${insight.item.externalId}, which is not there.`,
        insight.item.type,
      );
    else
      given.set(
        `${configId}/${storableText(insight.analyzer, longestAnalyzer)}/${insight.externalAnalysisId ?? ""}`,
        {
          configId,
          insight,
        },
      );
  }
  const rows = [...given.values()];
  if (rows.length === 0) return [];
  const json = `[${rows
    .map(({ configId, insight }) =>
      storableJson({
        config_id: configId,
        analyzer: storableText(insight.analyzer, longestAnalyzer),
        external_analysis_id: insight.externalAnalysisId ?? null,
        analysis_type: insight.analysisType,
        severity: insight.severity,
        status: insight.status,
        source: insight.source ?? null,
        summary: insight.summary ?? null,
        message: insight.message === undefined ? null : storableText(insight.message),
        analysis: insight.analysis ?? null,
        properties: insight.properties ?? null,
        first_observed: (insight.firstObserved ?? now).toISOString(),
        last_observed: (insight.lastObserved ?? now).toISOString(),
      }),
    )
    .join(",")}]`;
  return db.transaction(async (tx) => {
    const recordset = sql`jsonb_to_recordset(${json}::jsonb) r (
      config_id uuid, analyzer text, external_analysis_id text, analysis_type text, severity text, status text, source text,
      summary text, message text, analysis jsonb, properties jsonb, first_observed timestamptz, last_observed timestamptz)`;
    const updated = await tx.rows<{ id: string }>(sql`
      update config_analysis a
         set scraper_id = ${scraperId}, analysis_type = r.analysis_type, severity = r.severity, source = r.source,
             summary = r.summary, message = r.message, analysis = r.analysis, properties = r.properties,
             last_observed = r.last_observed, first_observed = least(a.first_observed, r.first_observed),
             status = case when a.status = 'silenced' then a.status else r.status end
        from ${recordset}
       where a.config_id = r.config_id and a.analyzer = r.analyzer
         and a.external_analysis_id is not distinct from r.external_analysis_id
      returning a.id`);
    const inserted = await tx.rows<{ id: string }>(sql`
      insert into config_analysis (config_id, scraper_id, analyzer, external_analysis_id, analysis_type, severity, status, source,
                                   summary, message, analysis, properties, first_observed, last_observed)
      select r.config_id, ${scraperId}, r.analyzer, r.external_analysis_id, r.analysis_type, r.severity, r.status, r.source,
             r.summary, r.message, r.analysis, r.properties, r.first_observed, r.last_observed
        from ${recordset}
       where not exists (select from config_analysis a
                          where a.config_id = r.config_id and a.analyzer = r.analyzer
                            and a.external_analysis_id is not distinct from r.external_analysis_id)
      returning id`);
    return [...updated, ...inserted].map(({ id }) => id);
  });
}
