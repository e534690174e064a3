import { z } from "zod";
import { authenticationShape, commonShape, flattenAuthentication } from "./fields.ts";
import { httpConnectionShape } from "./http-connection.ts";
import { needsAddress } from "./needs-address.ts";

export const prometheusSpec = z
  .looseObject({
    ...commonShape,
    ...httpConnectionShape,
    ...authenticationShape,
    host: z
      .string()
      .max(8192)
      .optional()
      .describe("No longer read, and the check fails with it: write url."),
    query: z
      .string()
      .min(1)
      .max(65_536)
      .describe("PromQL, evaluated at the moment; it must give a vector."),
  })
  .superRefine(needsAddress("prometheus", ["host"]))
  .transform(flattenAuthentication)
  .describe("A query to Prometheus.");

export type PrometheusSpec = z.output<typeof prometheusSpec>;
