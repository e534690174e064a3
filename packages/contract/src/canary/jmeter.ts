import { z } from "zod";
import { commonShape, durationText, envVar, portNumber } from "./fields.ts";

/** `name=value`, as an option of the program. */
const property = z
  .string()
  .max(4096)
  .regex(/^[\w.-]+=[^\0]*$/, "Expected name=value.");

export const jmeterSpec = z
  .looseObject({
    ...commonShape,
    jmx: envVar.describe("The plan, as JMeter stores it (XML)."),
    host: z
      .string()
      .max(512)
      .regex(/^[^\s-][^\s]*$/, "Expected a host name or an address.")
      .optional()
      .describe("Host of the proxy that the plan goes through (option -H)."),
    port: portNumber.optional().describe("Port of that proxy (option -P)."),
    properties: z
      .array(property)
      .max(256)
      .optional()
      .describe("Properties of JMeter, each name=value."),
    systemProperties: z
      .array(property)
      .max(256)
      .optional()
      .describe("Properties of Java, each name=value."),
    responseDuration: durationText
      .optional()
      .describe("All samples together may take so long, for example 10s."),
  })
  .describe("Plans of JMeter.");

export type JmeterSpec = z.output<typeof jmeterSpec>;
