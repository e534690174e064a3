import { z } from "zod";
import { commonShape, envVar } from "./fields.ts";
import { secret, secretIn } from "../secrets/marks.ts";

export const dynatraceSpec = z
  .looseObject({
    ...commonShape,
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name) with address and API token."),
    host: z
      .string()
      .max(2048)
      .optional()
      .describe("Host of the environment, for example abc12345.live.dynatrace.com."),
    scheme: z.string().max(100).optional().describe("http or https; https when absent."),
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Address of the environment, in place of host and scheme."),
    apiKey: secret(envVar).optional().describe("API token that may read problems."),
    password: secret(envVar).optional().describe("Another name for apiKey."),
  })
  .superRefine((spec, context) => {
    if (spec.host || spec.url || spec.connection) return;
    context.addIssue({ code: "custom", path: [], message: "A dynatrace check needs a host." });
  })
  .describe("Open problems of Dynatrace.");

export type DynatraceSpec = z.output<typeof dynatraceSpec>;
