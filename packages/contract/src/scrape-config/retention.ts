import { z } from "zod";
import { durationText } from "../canary/fields.ts";
import { isDuration } from "../duration.ts";
import { longestName } from "../documents/metadata.ts";

/** How long what is scraped is kept. */

/** Items that were not seen for so long are stale, and deleted. Source: spec formats, section 7.1. */
export const defaultStaleItemAge = "24h";
/** Insights that were not seen for so long are resolved. */
export const defaultStaleAnalysisAge = "48h";
/** In place of an age: stale items are kept. */
export const keepStale = "keep";

const changes = z
  .looseObject({
    name: z.string().min(1).max(longestName).describe("Type of the changes."),
    age: durationText.optional().describe("Those that are older are deleted, for example 30d."),
    count: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe("So many of the newest are kept of each item."),
  })
  .describe("Which changes are kept.");
export type ChangeRetention = z.output<typeof changes>;

const types = z
  .looseObject({
    name: z.string().min(1).max(longestName).describe("Type of the items, with * and !."),
    createdAge: durationText.optional().describe("Items that were made longer ago are deleted."),
    updatedAge: durationText
      .optional()
      .describe("Items that were changed last longer ago are deleted."),
    deletedAge: durationText.optional().describe("Deleted items are forgotten after this long."),
  })
  .describe("Which items are kept.");
export type TypeRetention = z.output<typeof types>;

const typeList = z.array(types).max(1000).optional();

export const retention = z
  .looseObject({
    changes: z.array(changes).max(1000).optional().describe("Which changes are kept."),
    types: typeList.describe("Which items are kept; other programs read this nowhere."),
    type: typeList.describe("Another spelling of types."),
    staleItemAge: z
      .string()
      .refine((text) => text === keepStale || isDuration(text), {
        error: `Expected a duration such as ${defaultStaleItemAge}, or ${keepStale}.`,
      })
      .optional()
      .describe(
        `Items that were not seen for so long are deleted; ${defaultStaleItemAge} when absent, ${keepStale} for never.`,
      ),
    staleAnalysisAge: durationText
      .optional()
      .describe(
        `Insights that were not seen for so long are resolved; ${defaultStaleAnalysisAge} when absent.`,
      ),
  })
  .transform(({ type, ...found }) => ({ ...found, types: found.types ?? type }))
  .describe("How long what is scraped is kept.");
export type Retention = z.output<typeof retention>;
