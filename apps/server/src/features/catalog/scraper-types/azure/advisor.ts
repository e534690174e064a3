import type { AnalysisType, InsightSeverity } from "@mainstay/contract";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import type { JsonObject } from "../../changes/json-patch.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { ScrapedInsight } from "../../scraping/scraped.ts";
import { pick, timeOf } from "../api/scraped-api.ts";
import { resourceOf, typeOf } from "./kinds.ts";
import type { Row } from "./management-api.ts";

export const advisorVersion = "2023-01-01";

const types: Readonly<Record<string, AnalysisType>> = {
  cost: "cost",
  highavailability: "availability",
  operationalexcellence: "recommendation",
  performance: "performance",
  security: "security",
};
const severities: Readonly<Record<string, InsightSeverity>> = {
  high: "high",
  medium: "medium",
  low: "low",
};

/** What insights say of where they come from. */
export const advisorSource = "Azure Advisor";

/** Advice, as an insight of what it is about; nothing where somebody has put it off. */
export function insightOf(row: Row): ScrapedInsight | undefined {
  const properties = asObject(row.properties);
  const id = asText(asObject(properties.resourceMetadata).resourceId)?.toLowerCase();
  if (id === undefined || asList(properties.suppressionIds).length > 0) return undefined;
  const resource = resourceOf(id);
  const { problem, solution } = asObject(properties.shortDescription);
  const summary = asText(problem) ?? asText(properties.description);
  const text = [problem, solution, properties.description]
    .map(asText)
    .filter((one) => one !== undefined);
  return {
    item: resource ? { externalId: resource.id, type: typeOf(resource.kind) } : { externalId: id },
    ...optional("externalAnalysisId", asText(row.name)),
    analyzer: summary ?? advisorSource,
    analysisType: types[asPlain(properties.category).toLowerCase()] ?? "other",
    severity: severities[asPlain(properties.impact).toLowerCase()] ?? "low",
    status: "open",
    source: advisorSource,
    ...optional("summary", summary),
    ...optional("message", [...new Set(text)].join("\n") || undefined),
    analysis: {
      ...pick(properties, [
        "category",
        "impact",
        "impactedField",
        "impactedValue",
        "learnMoreLink",
      ]),
      ...(asObject(properties.extendedProperties) as JsonObject),
    },
    ...optional("firstObserved", timeOf(properties.lastUpdated)),
  };
}
