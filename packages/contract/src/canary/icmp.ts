import { z } from "zod";
import { commonShape, millis, percent } from "./fields.ts";

export const icmpSpec = z
  .looseObject({
    ...commonShape,
    endpoint: z
      .string()
      .min(1)
      .max(512)
      .regex(/^([a-z][a-z0-9+.-]*:\/\/)?[^\s/-][^\s/]*\/?$/i, "Expected a host name or an address.")
      .describe("Host to send echo requests to; of a URL its host counts."),
    thresholdMillis: millis
      .optional()
      .describe("Longest average round trip, in milliseconds; no limit when absent or 0."),
    packetLossThreshold: percent
      .optional()
      .describe("Percentage of lost packets that is still fine; 0 when absent."),
    packetCount: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe("Packets to send; 5 when absent or 0."),
  })
  .describe("Echo requests (ping).");

export type IcmpSpec = z.output<typeof icmpSpec>;
