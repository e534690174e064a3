import { z } from "zod";
import { selectorFields } from "../resource-selector/selector-fields.ts";
import { commonShape } from "./fields.ts";

/** Unknown keys are kept here as everywhere in documents; whoever selects takes the known ones. */
const selector = z
  .looseObject(selectorFields)
  .describe("What is selected; everything that is said must hold.");

export const catalogSpec = z
  .looseObject({
    ...commonShape,
    selector: z
      .array(selector)
      .min(1, "Say what is selected.")
      .max(50)
      .optional()
      .describe("Which items; those that any of them selects."),
    query: z
      .string()
      .max(262_144)
      .optional()
      .describe(
        "Of older documents: select * from config_items, with columns that equal texts. Any other holds the check.",
      ),
  })
  .superRefine((spec, context) => {
    if (!spec.selector && !spec.query)
      context.addIssue({ code: "custom", path: [], message: "A catalog check needs a selector." });
  })
  .describe("Items of the catalog, which a test judges.");

export type CatalogSpec = z.output<typeof catalogSpec>;
