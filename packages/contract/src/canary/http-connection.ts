import { z } from "zod";
import { secret, secretIn } from "../secrets/marks.ts";
import { connectionShape, envVar, headerVar, tls } from "./fields.ts";

/** What most holds of everything that is asked over HTTP as somebody. */

const scopes = z
  .union([z.array(z.string().max(1000)).max(100), z.string().max(1000)])
  .transform((value) => (typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : value))
  .describe("Scopes to ask for.");

/** How a token is fetched, without the client. */
export const tokenShape = {
  scope: scopes.optional(),
  tokenURL: secretIn("address", z.string().max(8192))
    .optional()
    .describe("Address of the token endpoint. A password in it is secret."),
  params: z
    .looseObject({})
    .optional()
    .describe("More parameters for the token endpoint, for example audience."),
} as const;

const oauth = z
  .looseObject({
    clientID: envVar.optional().describe("Client id."),
    clientSecret: secret(envVar).optional().describe("Client secret."),
    ...tokenShape,
  })
  .describe("OAuth 2 client credentials: a token is fetched and kept until it expires.");

export const awsSigV4 = z
  .looseObject({
    connection: z
      .string()
      .max(2048)
      .optional()
      .describe("A stored AWS connection (connection://namespace/name)."),
    accessKey: envVar.optional().describe("Access key id."),
    secretKey: secret(envVar).optional().describe("Secret access key."),
    sessionToken: secret(envVar).optional().describe("Token of lent credentials."),
    assumeRole: z.string().max(2048).optional().describe("Role to take on before signing."),
    region: z.string().max(100).optional().describe("Region, for example eu-central-1."),
    endpoint: z.string().max(2048).optional().describe("Address of the service that lends roles."),
    skipTLSVerify: z.boolean().optional().describe("Accept any certificate of that service."),
    service: z
      .string()
      .max(100)
      .optional()
      .describe("Name of the service that is asked, for example aps, es or execute-api."),
  })
  .describe("Sign every request for AWS (Signature Version 4).");

/** The kinds of signing in that take no more than a name and a password. */
export const loginShape = {
  ntlm: z.boolean().optional().describe("Sign in by NTLM; the user may be DOMAIN\\user."),
  ntlmv2: z.boolean().optional().describe("Sign in by NTLM version 2 alone."),
  digest: z.boolean().optional().describe("Sign in by Digest."),
} as const;

/** Everything by which a server that speaks HTTP is reached. */
export const httpConnectionShape = {
  ...connectionShape,
  ...loginShape,
  bearer: secret(envVar).optional().describe("Token to send as Bearer."),
  oauth: oauth.optional(),
  tls: tls.optional(),
  headers: z.array(headerVar).max(256).optional().describe("Headers to send."),
  awsSigV4: awsSigV4.optional(),
} as const;
