import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { StartupError } from "@mainstay/embedded-postgres";
import { z } from "zod";
import { normalAddress } from "./address.ts";
import {
  databaseAddress,
  codeRoles,
  directories,
  httpUrl,
  isHostPort,
  isProxy,
  isSmtpUrl,
  issuerUrl,
  networks,
  serviceUrl,
  span,
  toggle,
  userNumberRange,
  whole,
  words,
} from "./config-values.ts";
import { logLevels } from "./log.ts";

/**
 * Everything that can be set from outside: one row each, the same for the environment, the flags, `--help` and the
 * documentation.
 */
interface Setting<T> {
  env: string;
  flag: string;
  /** Placeholder in `--help`; absent for switches. */
  value?: string;
  help: string;
  default?: string;
  /** Its value is never shown. */
  isSecret?: boolean;
  schema: z.ZodType<T, string | undefined>;
}

const setting = <T>(row: Setting<T>): Setting<T> => row;

export const settings = {
  port: setting({
    env: "PORT",
    flag: "--port",
    value: "number",
    help: "port to listen on; 0 for any free one",
    default: "3100",
    schema: whole(0, 65535).prefault("3100"),
  }),
  host: setting({
    env: "HOST",
    flag: "--host",
    value: "address",
    help: "address to listen on; anything but this machine wants TLS in front",
    default: "127.0.0.1",
    schema: z
      .string()
      .regex(/^[\w.:%-]+$/, "must be an address or a host name, without a port or http://")
      .refine(
        (value) => !/^[^:]*:\d*$/.test(value),
        "must be an address or a host name, without a port",
      )
      .default("127.0.0.1"),
  }),
  publicUrl: setting({
    env: "PUBLIC_URL",
    flag: "--public-url",
    value: "url",
    help: "address that people type; https here makes cookies Secure",
    schema: httpUrl.optional(),
  }),
  dataDir: setting({
    env: "MAINSTAY_DATA_DIR",
    flag: "--data-dir",
    value: "directory",
    help: "where the embedded database lives",
    default: defaultDataDir(),
    schema: z
      .string()
      .default(defaultDataDir())
      .transform((value) => resolve(value)),
  }),
  databaseUrl: setting({
    env: "DATABASE_URL",
    flag: "--database-url",
    value: "url",
    help: "PostgreSQL 15 or newer to use instead of the embedded one",
    isSecret: true,
    schema: databaseAddress,
  }),
  migrationDatabaseUrl: setting({
    env: "MIGRATION_DATABASE_URL",
    flag: "--migration-database-url",
    value: "url",
    help: "the same database as another user, who owns the tables; then the user of DATABASE_URL needs none but rows",
    isSecret: true,
    schema: databaseAddress,
  }),
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
  logLevel: setting({
    env: "LOG_LEVEL",
    flag: "--log-level",
    value: "level",
    help: `one of ${logLevels.join(", ")}`,
    default: "info",
    schema: z.enum(logLevels, { error: `must be one of ${logLevels.join(", ")}` }).default("info"),
  }),
  role: setting({
    env: "MAINSTAY_ROLE",
    flag: "--role",
    value: "role",
    help: "all, api (answers requests) or worker (runs checks and jobs)",
    default: "all",
    schema: z
      .enum(["all", "api", "worker"], { error: "must be all, api or worker" })
      .default("all"),
  }),
  checkerOnly: setting({
    env: "CHECKER_ONLY",
    flag: "--checker-only",
    help: "only the health page, without signing in",
    default: "false",
    schema: toggle,
  }),
  checkerWrite: setting({
    env: "CHECKER_WRITE",
    flag: "--checker-write",
    help: "with --checker-only: let everybody run and edit checks",
    default: "false",
    schema: toggle,
  }),
  checkerWriteAnyone: setting({
    env: "CHECKER_WRITE_ANYONE",
    flag: "--checker-write-anyone",
    help: "with --checker-write beyond this machine: yes, everybody who reaches the server may change its checks and have it connect wherever they say",
    default: "false",
    schema: toggle,
  }),
  codeRoles: setting({
    env: "CODE_ROLES",
    flag: "--code-roles",
    value: "roles",
    help: "comma list of roles that may save and try documents with programs, local folders, files or sockets; administrators always may, and so may roles above those named",
    default: "admin",
    schema: codeRoles,
  }),
  trustProxy: setting({
    env: "TRUST_PROXY",
    flag: "--trust-proxy",
    value: "addresses",
    help: "comma list of proxies whose X-Forwarded-* headers are believed",
    schema: words.refine(
      (items) => items.every(isProxy),
      "must be a comma list of addresses or networks such as 10.0.0.0/8",
    ),
  }),
  checkAllow: setting({
    env: "CHECK_ALLOW",
    flag: "--check-allow",
    value: "ranges",
    help: "comma list of address ranges that checks may reach although denied",
    schema: networks,
  }),
  checkDeny: setting({
    env: "CHECK_DENY",
    flag: "--check-deny",
    value: "ranges",
    help: "comma list of address ranges that checks may not reach, beyond link-local and metadata addresses",
    schema: networks,
  }),
  checkConcurrency: setting({
    env: "CHECK_CONCURRENCY",
    flag: "--check-concurrency",
    value: "number",
    help: "canaries that one worker runs at the same time",
    default: "256",
    schema: whole(1, 10_000).prefault("256"),
  }),
  exec: setting({
    env: "EXEC",
    flag: "--exec",
    value: "when",
    help: "scripts of documents: auto (run them as somebody else, so only as root), on (where that is impossible run them as the server's own user: they can then read everything of this server) or off",
    default: "auto",
    schema: z.enum(["auto", "on", "off"], { error: "must be auto, on or off" }).default("auto"),
  }),
  execUids: setting({
    env: "EXEC_UIDS",
    flag: "--exec-uids",
    value: "from-to",
    help: "user numbers that scripts run under when the server is root, each its own; nothing else may use them",
    default: "60600-61111",
    schema: userNumberRange.prefault("60600-61111"),
  }),
  socketDirs: setting({
    env: "SOCKET_DIRS",
    flag: "--socket-dirs",
    value: "directories",
    help: "comma list of directories whose unix sockets checks may connect to; without it none",
    schema: directories,
  }),
  networkProbe: setting({
    env: "NETWORK_PROBE",
    flag: "--network-probe",
    value: "targets",
    help: "comma list of host:port; when none answers, this machine has lost its network and network checks become unknown",
    schema: words.refine((items) => items.every(isHostPort), "must be a comma list of host:port"),
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
  encryptionKey: setting({
    env: "MAINSTAY_ENCRYPTION_KEY",
    flag: "--encryption-key",
    value: "key",
    help: "32 bytes in base64 that encrypt stored secrets, the same on every server; made and kept in the data directory when absent",
    isSecret: true,
    schema: z
      .string()
      .refine(
        (value) => /^[A-Za-z0-9+/]{43}=?$/.test(value),
        "must be 32 bytes in base64, such as openssl rand -base64 32 prints",
      )
      .optional(),
  }),
  propertiesFile: setting({
    env: "PROPERTIES_FILE",
    flag: "--properties-file",
    value: "file",
    help: "properties and feature flags of this server, name=value a line; they win over those in the database and cannot be edited in the console",
    schema: z
      .string()
      .transform((value) => resolve(value))
      .optional(),
  }),
  oidcProviders: setting({
    env: "OIDC_PROVIDERS",
    flag: "--oidc-providers",
    value: "file",
    help: "YAML or JSON file of the OpenID providers that people may sign in with, or the JSON itself",
    isSecret: true,
    schema: z.string().max(200_000, "is too long").optional(),
  }),
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
  selfChecks: setting({
    env: "SELF_CHECKS",
    flag: "--self-checks",
    value: "true|false",
    help: "create checks of Mainstay itself on the very first start",
    default: "true",
    schema: toggle.prefault("true"),
  }),
} as const;

export type Config = {
  readonly [Key in keyof typeof settings]: z.output<(typeof settings)[Key]["schema"]>;
};

function defaultDataDir(): string {
  // As root the database runs as another user, which cannot enter root's home.
  if (process.getuid?.() === 0) return "/var/lib/mainstay";
  if (process.platform === "darwin") return join(homedir(), "Library/Application Support/mainstay");
  return join(process.env.XDG_DATA_HOME || join(homedir(), ".local/share"), "mainstay");
}

/**
 * Reads flags, then the environment, then defaults. The first wrong value stops the program with one line that names
 * it. An empty value counts as absent.
 */
export function readConfig(
  flags: Readonly<Record<string, string | undefined>>,
  env: NodeJS.ProcessEnv,
): Config {
  const entries = Object.entries(settings).map(([key, row]) => {
    const fromFlag = flags[key] || undefined;
    const given = fromFlag ?? (env[row.env] || undefined);
    const read = (row.schema as z.ZodType).safeParse(given);
    if (!read.success) {
      const source = fromFlag === undefined ? row.env : row.flag;
      const shown = row.isSecret ? "" : ` (it is ${JSON.stringify(given?.slice(0, 200))})`;
      throw new StartupError(`${source} ${read.error.issues[0]!.message}${shown}`);
    }
    return [key, read.data] as const;
  });
  return Object.fromEntries(entries) as Config;
}
