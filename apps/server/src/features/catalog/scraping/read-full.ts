import {
  changeSeverities,
  type InsightSeverity,
  insightSeverities,
  type InsightStatus,
  insightStatuses,
  readAnalysisType,
} from "@mainstay/contract";
import { isObject, type Json, type JsonObject } from "../changes/json-patch.ts";
import { ItemMistake, optional, readTime } from "./extract-item.ts";
import type { ItemReference, ScrapedChange, ScrapedInsight } from "./scraped.ts";

/**
 * Documents in which changes and insights stand beside what is configured (`full: true`). Source: spec formats,
 * section 7.5.
 */
export interface FullParts {
  /** What is configured; nothing when the document has only the others. */
  config: Json | undefined;
  changes: readonly JsonObject[];
  insights: readonly JsonObject[];
  /** Parts that nothing is made of. */
  unread: readonly string[];
}

const parts = ["config", "changes", "analysis"] as const;
/** What the format has besides, of people and what they may do. Nothing of it is kept; it is no item either. */
const partsOfPeople = [
  "access_logs",
  "config_access",
  "external_groups",
  "external_roles",
  "external_user_groups",
  "external_users",
] as const;

/** `undefined` when the value has none of these parts: then it is what is configured. */
export function readFull(value: Json): FullParts | undefined {
  if (!isObject(value)) return undefined;
  const unread = partsOfPeople.filter((part) => Object.hasOwn(value, part));
  if (unread.length === 0 && !parts.some((part) => Object.hasOwn(value, part))) return undefined;
  const list = (found: Json | undefined) =>
    (Array.isArray(found) ? (found as readonly Json[]) : found === undefined ? [] : [found]).filter(
      isObject,
    );
  return {
    unread,
    config: value.config ?? undefined,
    changes: list(value.changes ?? undefined),
    insights: list(value.analysis ?? undefined),
  };
}

const text = (value: Json | undefined): string | undefined =>
  value === undefined || value === null || value === ""
    ? undefined
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

/** The item that a part is about: the one it says, or the one it stands beside. */
function itemOf(part: JsonObject, beside: ItemReference | undefined, what: string): ItemReference {
  const externalId = text(part.external_id) ?? text(part.config_id);
  const type = text(part.config_type);
  if (externalId !== undefined) return { externalId, ...optional("type", type) };
  if (beside) return beside;
  throw new ItemMistake(`${what} says no item (external_id), and stands beside none.`);
}

const time = (value: Json | undefined, what: string): Date | undefined => {
  const said = text(value);
  if (said === undefined) return undefined;
  const found = readTime(said);
  if (!found) throw new ItemMistake(`${what}: "${said.slice(0, 100)}" is no time.`);
  return found;
};

/** @throws ItemMistake */
export function readChange(part: JsonObject, beside: ItemReference | undefined): ScrapedChange {
  const changeType = text(part.change_type) ?? text(part.type);
  if (changeType === undefined) throw new ItemMistake("A change says no change_type.");
  const severity = text(part.severity)?.toLowerCase();
  const known = changeSeverities.find((one) => one === severity);
  if (severity !== undefined && !known)
    throw new ItemMistake(
      `The change ${changeType} has the severity "${severity}": it is one of ${changeSeverities.join(", ")}.`,
    );
  const action = text(part.action)?.toLowerCase();
  return {
    item: itemOf(part, beside, `The change ${changeType}`),
    changeType,
    ...optional("externalChangeId", text(part.external_change_id)),
    ...optional("severity", known),
    ...optional("source", text(part.source)),
    ...optional("summary", text(part.summary)),
    ...optional("patches", part.patches ?? undefined),
    ...optional("diff", text(part.diff)),
    ...optional("details", part.details ?? undefined),
    ...optional("createdAt", time(part.created_at, `created_at of the change ${changeType}`)),
    ...optional("createdBy", text(part.created_by)),
    ...(action === "delete" || action === "ignore" ? { action } : {}),
  };
}

/** @throws ItemMistake */
export function readInsight(part: JsonObject, beside: ItemReference | undefined): ScrapedInsight {
  const analyzer = text(part.analyzer);
  if (analyzer === undefined) throw new ItemMistake("An insight says no analyzer.");
  const severity = text(part.severity)?.toLowerCase();
  const status = text(part.status)?.toLowerCase();
  const messages = Array.isArray(part.messages)
    ? (part.messages as readonly Json[]).map(text).filter((one) => one !== undefined)
    : [];
  const what = `the insight ${analyzer}`;
  return {
    item: itemOf(part, beside, `The insight ${analyzer}`),
    analyzer,
    analysisType: readAnalysisType(text(part.analysis_type) ?? "") ?? "other",
    severity: insightSeverities.find((one): one is InsightSeverity => one === severity) ?? "info",
    status: insightStatuses.find((one): one is InsightStatus => one === status) ?? "open",
    ...optional("externalAnalysisId", text(part.external_analysis_id)),
    ...optional("source", text(part.source)),
    ...optional("summary", text(part.summary)),
    ...optional("message", messages.length > 0 ? messages.join("\n") : text(part.message)),
    ...optional("analysis", part.analysis ?? undefined),
    ...optional("firstObserved", time(part.first_observed, `first_observed of ${what}`)),
    ...optional("lastObserved", time(part.last_observed, `last_observed of ${what}`)),
  };
}
