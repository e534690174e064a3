import { z } from "zod";
import { secretIn, secret } from "../secrets/marks.ts";
import { commonShape, connectionShape, envVar } from "./fields.ts";

export const helmSpec = z
  .looseObject({
    ...commonShape,
    ...connectionShape,
    chartmuseum: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Address of the ChartMuseum. A password in it is secret."),
    project: z.string().max(253).optional().describe("Project of it; none when absent."),
    auth: z
      .looseObject({
        username: envVar.optional().describe("User name."),
        password: secret(envVar).optional().describe("Password."),
      })
      .optional()
      .describe("Credentials of the ChartMuseum."),
    cafile: z
      .string()
      .max(4096)
      .optional()
      .describe("File of this server with the certificate of the authority to trust."),
  })
  .superRefine((spec, context) => {
    if (!spec.chartmuseum && !spec.url && !spec.connection)
      context.addIssue({ code: "custom", path: [], message: "A helm check needs a chartmuseum." });
  })
  .transform(({ chartmuseum, auth, ...spec }) => ({
    ...spec,
    url: spec.url ?? chartmuseum,
    username: spec.username ?? auth?.username,
    password: spec.password ?? auth?.password,
  }))
  .describe("Puts a chart into a ChartMuseum, gets it back, deletes it.");

export type HelmSpec = z.output<typeof helmSpec>;
