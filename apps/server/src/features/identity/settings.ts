import { z } from "zod";
import { normalAddress } from "#platform/address.ts";
import { defineSettings, setting, type SettingValues } from "#platform/config.ts";
import { isSmtpUrl, serviceUrl, span, toggle } from "#platform/config-values.ts";

export const identitySettings = defineSettings({
  adminEmail: setting({
    env: "ADMIN_EMAIL",
    flag: "--admin-email",
    value: "address",
    help: "e-mail of the administrator created on the first start",
    default: "admin@local",
    schema: z
      .string()
      .default("admin@local")
      .transform((text, { issues }) => {
        const address = normalAddress(text);
        if (address) return address;
        issues.push({ code: "custom", input: text, message: "must be an e-mail address" });
        return z.NEVER;
      }),
  }),
  adminPassword: setting({
    env: "ADMIN_PASSWORD",
    flag: "--admin-password",
    value: "text",
    help: "that administrator's password; one is made and printed once when absent",
    isSecret: true,
    schema: z
      .string()
      .min(8, "must have at least 8 characters")
      .max(1024, "is too long")
      .optional(),
  }),
  registration: setting({
    env: "REGISTRATION",
    flag: "--registration",
    value: "who",
    help: "who may register: open (everybody), invite or closed; the very first person always may",
    default: "invite",
    schema: z
      .enum(["open", "invite", "closed"], { error: "must be open, invite or closed" })
      .default("invite"),
  }),
  smtpUrl: setting({
    env: "SMTP_URL",
    flag: "--smtp-url",
    value: "url",
    help: "mail server, such as smtp://user:password@mail.example.org:587; without one no mail is sent",
    isSecret: true,
    schema: z
      .string()
      .refine(isSmtpUrl, "must be an address such as smtp://user:password@mail.example.org:587")
      .optional(),
  }),
  mailFrom: setting({
    env: "MAIL_FROM",
    flag: "--mail-from",
    value: "address",
    help: "sender of the mails, such as Mainstay <mainstay@example.org>",
    default: "Mainstay <mainstay@localhost>",
    schema: z
      .string()
      .regex(/^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/, "must be an e-mail address")
      .default("Mainstay <mainstay@localhost>"),
  }),
  signInByCode: setting({
    env: "SIGN_IN_BY_CODE",
    flag: "--sign-in-by-code",
    help: "let people sign in with a code that is sent to their address",
    default: "false",
    schema: toggle,
  }),
  identityUrl: setting({
    env: "IDENTITY_URL",
    flag: "--identity-url",
    value: "url",
    help: "public address of an Ory Kratos to use instead of the built-in identity service",
    schema: serviceUrl.optional(),
  }),
  identityFlowLifespan: setting({
    env: "IDENTITY_FLOW_LIFESPAN",
    flag: "--identity-flow-lifespan",
    value: "duration",
    help: "how long a form of the identity service can be filled out",
    default: "1h",
    schema: span("1m", "1d").prefault("1h"),
  }),
  identityPrivilegedAge: setting({
    env: "IDENTITY_PRIVILEGED_AGE",
    flag: "--identity-privileged-age",
    value: "duration",
    help: "how long after signing in a password or address may be changed without confirming who one is",
    default: "15m",
    schema: span("1m", "1d").prefault("15m"),
  }),
  sessionLifespan: setting({
    env: "SESSION_LIFESPAN",
    flag: "--session-lifespan",
    value: "duration",
    help: "how long somebody stays signed in at most",
    default: "24h",
    schema: span("5m", "365d").prefault("24h"),
  }),
  sessionIdle: setting({
    env: "SESSION_IDLE",
    flag: "--session-idle",
    value: "duration",
    help: "how long somebody stays signed in without doing anything",
    default: "12h",
    schema: span("5m", "365d").prefault("12h"),
  }),
  oidcProviders: setting({
    env: "OIDC_PROVIDERS",
    flag: "--oidc-providers",
    value: "file",
    help: "YAML or JSON file of the OpenID providers that people may sign in with, or the JSON itself",
    isSecret: true,
    schema: z.string().max(200_000, "is too long").optional(),
  }),
});

declare module "#platform/config.ts" {
  interface Config extends SettingValues<typeof identitySettings> {}
}
