import { z } from "zod";
import {
  authenticationShape,
  commonShape,
  connectionShape,
  flattenAuthentication,
  tls,
} from "./fields.ts";

export const mongodbSpec = z
  .looseObject({
    ...commonShape,
    ...connectionShape,
    ...authenticationShape,
    credentials: authenticationShape.auth,
    tlsConfig: tls.optional(),
  })
  .superRefine((spec, context) => {
    if (!spec.url && !spec.connection) {
      context.addIssue({ code: "custom", path: [], message: "A MongoDB check needs a url." });
    }
  })
  .transform(flattenAuthentication)
  .describe("Ping of the primary of MongoDB.");

export type MongodbSpec = z.output<typeof mongodbSpec>;
