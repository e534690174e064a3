import { z } from "zod";
import {
  authenticationShape,
  commonShape,
  connectionShape,
  count,
  flattenAuthentication,
  tls,
} from "./fields.ts";
import { secretIn } from "../secrets/marks.ts";

export const redisSpec = z
  .looseObject({
    ...commonShape,
    ...connectionShape,
    ...authenticationShape,
    addr: secretIn("address", z.string().max(2048))
      .optional()
      .describe("Another name for url: host:port."),
    db: count.max(100_000).optional().describe("Number of the database; 0 when absent."),
    tlsConfig: tls.optional(),
  })
  .superRefine((spec, context) => {
    if (!spec.url && !spec.addr && !spec.connection) {
      context.addIssue({ code: "custom", path: [], message: "A redis check needs a url." });
    }
  })
  .transform(({ addr, ...spec }) => flattenAuthentication({ ...spec, url: spec.url ?? addr }))
  .describe("PING to Redis.");

export type RedisSpec = z.output<typeof redisSpec>;
