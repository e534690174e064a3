import { z } from "zod";
import { commonShape, secretVar } from "./fields.ts";

export const execSpec = z
  .looseObject({
    ...commonShape,
    script: z
      .string()
      .min(1)
      .max(262_144)
      .describe("Shell script, run by bash unless its first line names another interpreter."),
    env: z
      .array(secretVar)
      .max(256)
      .optional()
      .describe("Variables for the script; their values are secret."),
    checkout: z
      .looseObject({})
      .optional()
      .describe("Repository to check out first. Not supported yet."),
    connections: z
      .looseObject({})
      .optional()
      .describe("Cloud credentials for the script. Not supported yet."),
    artifacts: z
      .array(z.looseObject({}))
      .optional()
      .describe("Files to keep from the run. Not supported yet."),
  })
  .describe("Shell scripts.");

export type ExecSpec = z.output<typeof execSpec>;
