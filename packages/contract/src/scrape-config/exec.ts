import { z } from "zod";
import { artifactsOf } from "../canary/artifact-fields.ts";
import { checkout, connections } from "../canary/exec.ts";
import { secretVar } from "../canary/fields.ts";
import { selectorFields } from "../resource-selector/selector-fields.ts";
import { baseShape } from "./base-fields.ts";

const query = z
  .looseObject({
    path: z
      .string()
      .min(1)
      .max(1024)
      .describe(
        "File that the items are written to as a JSON list, inside the folder that the script starts in.",
      ),
    ...selectorFields,
  })
  .describe("Items of the catalog that the script reads.");

const runtime = z.looseObject({
  version: z.string().max(100).optional().describe("Which version of it."),
});
const setup = z
  .looseObject({
    bun: runtime.optional().describe("Bun."),
    python: runtime.optional().describe("Python."),
    powershell: runtime.optional().describe("PowerShell."),
    playwright: runtime.optional().describe("Playwright."),
  })
  .describe("What the script needs. Kept: nothing is installed, so the scraper is held.");

export const execScraper = z
  .looseObject({
    ...baseShape,
    script: z
      .string()
      .min(1)
      .max(262_144)
      .describe(
        "Shell script that writes items to its output, run by bash unless its first line names another interpreter.",
      ),
    env: z
      .array(secretVar)
      .max(256)
      .optional()
      .describe("Variables for the script; their values are secret."),
    checkout: checkout.optional(),
    connections: connections.optional(),
    query: z.array(query).max(50).optional().describe("Items of the catalog that it reads."),
    setup: setup.optional(),
    artifacts: artifactsOf(
      "Path or pattern (*, **, ?) below the folder that the script starts in.",
    ),
  })
  .describe("The output of scripts.");

export type ExecScraper = z.output<typeof execScraper>;
