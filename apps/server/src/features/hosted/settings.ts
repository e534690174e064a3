import { z } from "zod";
import { defineSettings, setting, type SettingValues } from "#platform/config.ts";
import { httpUrl, issuerUrl, serviceUrl, words } from "#platform/config-values.ts";

export const hostedSettings = defineSettings({
  hostedIssuer: setting({
    env: "HOSTED_ISSUER",
    flag: "--hosted-issuer",
    value: "url",
    help: "OpenID provider with organizations that people sign in with, instead of the identity service",
    schema: issuerUrl.optional(),
  }),
  hostedClientId: setting({
    env: "HOSTED_CLIENT_ID",
    flag: "--hosted-client-id",
    value: "id",
    help: "under which id that provider knows this console",
    schema: z.string().max(128, "is too long").optional(),
  }),
  hostedOrganization: setting({
    env: "HOSTED_ORGANIZATION",
    flag: "--hosted-organization",
    value: "id",
    help: "the organization at that provider whose people this server is for",
    schema: z.string().max(128, "is too long").optional(),
  }),
  hostedOrigins: setting({
    env: "HOSTED_ORIGINS",
    flag: "--hosted-origins",
    value: "urls",
    help: "comma list of the addresses where that console is open, when it is not this server's own",
    schema: words.pipe(z.array(httpUrl)),
  }),
  hostedBackends: setting({
    env: "HOSTED_BACKENDS",
    flag: "--hosted-backends",
    value: "urls",
    help: "comma list of the addresses of other organizations' servers that this server's console may ask",
    schema: words.pipe(z.array(httpUrl)),
  }),
  hostedNewOrganization: setting({
    env: "HOSTED_NEW_ORGANIZATION",
    flag: "--hosted-new-organization",
    value: "url",
    help: "page of that provider where an organization is created",
    schema: serviceUrl.optional(),
  }),
});

declare module "#platform/config.ts" {
  interface Config extends SettingValues<typeof hostedSettings> {}
}
