import { z } from "zod";
import { listUnder } from "../documents/list-under.ts";
import { labels, longestName } from "../documents/metadata.ts";

const mostRoutes = 100;

const route = z
  .looseObject({
    type: z
      .string()
      .max(longestName)
      .optional()
      .describe(
        "Type of the component, or several after commas; * stands for anything, ! excludes.",
      ),
    id_prefix: z
      .string()
      .max(longestName)
      .optional()
      .describe("What the external id of the component begins with."),
    idPrefix: z.string().max(longestName).optional().describe("Another spelling of id_prefix."),
    labels: labels
      .optional()
      .describe(
        "Labels that are asked for, with their values: several after commas, with * and !.",
      ),
    is_additive: z
      .boolean()
      .optional()
      .describe("Backends further down are asked as well; none of them when absent."),
    isAdditive: z.boolean().optional().describe("Another spelling of is_additive."),
  })
  .transform(({ idPrefix, isAdditive, ...spec }) => ({
    ...spec,
    id_prefix: spec.id_prefix ?? idPrefix,
    is_additive: spec.is_additive ?? isAdditive,
  }))
  .describe("Questions that a backend is asked; all that is given must hold.");
export type BackendRoute = z.output<typeof route>;

/** What every backend may say, whatever program holds the lines. */
export const backendShape = {
  routes: z
    .union([z.array(route).max(mostRoutes), route])
    .transform((found) => listUnder(found) as BackendRoute[])
    .optional()
    .describe(
      "Which questions it is asked, one route that fits is enough; without any, all of them.",
    ),
  labels: labels.optional().describe("Labels that its lines get, beside their own."),
} as const;

export const fieldName = z.string().min(1).max(1000);
