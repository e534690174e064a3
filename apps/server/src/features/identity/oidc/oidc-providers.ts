import { readFileSync } from "node:fs";
import { StartupError } from "@mainstay/embedded-postgres";
import { parse } from "yaml";
import { z } from "zod";
import type { Config } from "#platform/config.ts";
import { issuerUrl } from "#platform/config-values.ts";
import { createOpenIdClient, type OpenIdClient } from "./oidc-client.ts";
import { type Brought, compileRoles, type RoleExpression } from "./oidc-roles.ts";

/** An OpenID provider that people may sign in with, under the names that configurations of the official service have. */
export interface OpenIdProvider {
  id: string;
  /** What it is called on its button. */
  label: string;
  client: OpenIdClient;
  /** Takes the provider's word that a verified address is the person's, also for an account that was made otherwise. */
  linkByEmail: boolean;
  /** What its claims bring; nothing unless said. */
  broughtBy(claims: Record<string, unknown>): Promise<Brought>;
}

const Provider = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,30}$/, "must be a short name in lower case"),
  label: z.string().min(1).max(60).optional(),
  issuer_url: issuerUrl,
  client_id: z.string().min(1).max(512),
  client_secret: z.string().min(1).max(2048).optional(),
  scope: z
    .array(z.string().regex(/^[!#-[\]-~]+$/, "must be a scope"))
    .max(50)
    .optional(),
  link_by_email: z.boolean().default(false),
  roles: z.string().max(10_000).optional(),
});

const Providers = z
  .union([z.array(Provider).max(20), z.strictObject({ providers: z.array(Provider).max(20) })])
  .transform((given) => (Array.isArray(given) ? given : given.providers))
  .refine(
    (providers) => new Set(providers.map(({ id }) => id)).size === providers.length,
    "has two providers with the same id",
  );

const opened = new Map<string, readonly OpenIdProvider[]>();

/** The providers of OIDC_PROVIDERS, read once; none when it is not set. */
export function openIdProviders(config: Pick<Config, "oidcProviders">): readonly OpenIdProvider[] {
  const { oidcProviders: given } = config;
  if (!given) return [];
  let providers = opened.get(given);
  if (!providers) {
    providers = readProviders(given).map(toProvider);
    opened.set(given, providers);
  }
  return providers;
}

/** Stops the program when a provider cannot be used as it was configured; asks no provider. */
export async function checkOpenIdProviders(config: Pick<Config, "oidcProviders">): Promise<void> {
  if (!config.oidcProviders) return;
  for (const { id, roles } of readProviders(config.oidcProviders)) {
    if (roles === undefined) continue;
    await compileRoles(roles).catch((error: Error) => {
      throw new StartupError(
        `OIDC_PROVIDERS: the expression roles of ${id} is wrong: ${error.message}`,
      );
    });
  }
}

function readProviders(given: string): z.output<typeof Provider>[] {
  const isText = /^\s*[[{]/.test(given);
  const where = isText ? "OIDC_PROVIDERS" : `OIDC_PROVIDERS (${given})`;
  let value: unknown;
  try {
    value = parse(isText ? given : readFileSync(given, "utf8"));
  } catch (error) {
    throw new StartupError(`${where} cannot be read: ${(error as Error).message}`);
  }
  const read = Providers.safeParse(value);
  if (read.success) return read.data;
  // Never what was written there: a secret may be among it.
  const issues = read.error.issues.flatMap((issue) =>
    issue.code === "invalid_union" ? (issue.errors[Array.isArray(value) ? 0 : 1] ?? []) : [issue],
  );
  const [issue] = issues;
  const path = issue?.path.join(".");
  throw new StartupError(
    `${where} is wrong${path ? ` at ${path}` : ""}: ${issue?.message ?? "no list of providers"}`,
  );
}

function toProvider(given: z.output<typeof Provider>): OpenIdProvider {
  const {
    id,
    label = id,
    issuer_url: issuer,
    client_id: clientId,
    client_secret: clientSecret,
  } = given;
  let compiled: Promise<RoleExpression> | undefined;
  return {
    id,
    label,
    linkByEmail: given.link_by_email,
    client: createOpenIdClient({
      issuer,
      clientId,
      ...(clientSecret ? { clientSecret } : {}),
      scope: [...new Set(["openid", ...(given.scope ?? ["email", "profile"])])].join(" "),
    }),
    async broughtBy(claims) {
      if (given.roles === undefined) return { roles: [], teams: [] };
      return await (
        await (compiled ??= compileRoles(given.roles))
      )(claims);
    },
  };
}
