import { z } from "zod";
import {
  authenticationShape,
  commonShape,
  connectionShape,
  flattenAuthentication,
  maxSSLExpiry,
  tls,
} from "./fields.ts";

export const ldapSpec = z
  .looseObject({
    ...commonShape,
    ...connectionShape,
    ...authenticationShape,
    host: connectionShape.url.describe("What earlier versions call url."),
    bindDN: z
      .string()
      .max(4096)
      .describe("Where the search begins, for example dc=example,dc=org; everything below counts."),
    userSearch: z
      .string()
      .max(8192)
      .optional()
      .describe("Filter of the entries, for example (uid=anna); any entry when absent."),
    skipTLSVerify: z.boolean().optional().describe("Accept any certificate."),
    tlsConfig: tls.optional(),
    maxSSLExpiry: maxSSLExpiry.optional(),
  })
  .superRefine((spec, context) => {
    if (!spec.url && !spec.host && !spec.connection) {
      context.addIssue({ code: "custom", path: [], message: "A directory check needs a url." });
    }
  })
  .transform(flattenAuthentication)
  .describe("Logins and searches in an LDAP directory.");

export type LdapSpec = z.output<typeof ldapSpec>;
