import { z } from "zod";
import { commonShape, count, durationOrSeconds, millis, offering, portNumber } from "./fields.ts";

export const dnsQueryTypes = ["A", "AAAA", "CNAME", "SRV", "MX", "PTR", "TXT", "NS"] as const;
export type DnsQueryType = (typeof dnsQueryTypes)[number];

export const dnsSpec = z
  .looseObject({
    ...commonShape,
    server: z
      .string()
      .max(512)
      .optional()
      .describe("Name server to ask; the machine's own when absent."),
    port: portNumber.optional().describe("Port of the name server; 53 when absent."),
    query: z.string().min(1).max(512).describe("Name to look up."),
    querytype: z
      .string()
      .meta(offering(dnsQueryTypes))
      .transform((text) => text.toUpperCase())
      .pipe(z.enum(dnsQueryTypes, { error: `Expected one of ${dnsQueryTypes.join(", ")}.` }))
      .optional()
      .describe("Kind of record; A when absent."),
    minrecords: count.optional().describe("Fewest records that the answer may have."),
    exactreply: z
      .array(z.string().max(1024))
      .max(1000)
      .optional()
      .describe(
        "The records that the answer must have, in any order; mail exchanges as `host preference`.",
      ),
    timeout: durationOrSeconds
      .optional()
      .describe("Time for the answer, in seconds or as a duration; 10s when absent."),
    thresholdMillis: millis
      .optional()
      .describe("Longest time the answer may take, in milliseconds."),
  })
  .describe("Name look-ups.");

export type DnsSpec = z.output<typeof dnsSpec>;
