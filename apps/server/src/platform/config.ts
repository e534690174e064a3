import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { StartupError } from "@mainstay/embedded-postgres";
import { z } from "zod";
import {
  databaseAddress,
  codeRoles,
  directories,
  httpUrl,
  isProxy,
  networks,
  toggle,
  userNumberRange,
  whole,
  words,
} from "./config-values.ts";
import { logLevels } from "./log.ts";

/** What can be set from outside: one row each, the same for the environment, the flags and `--help`. */
export interface Setting<T> {
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

export const setting = <T>(row: Setting<T>): Setting<T> => row;

/** Settings by the name under which the program knows them. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type SettingValues<Of extends Settings> = {
  readonly [Key in keyof Of]: z.output<Of[Key]["schema"]>;
};

/** Keeps their types. A feature's stand in its `settings.ts`, which adds their values to `Config`. */
export const defineSettings = <Of extends Settings>(of: Of): Of => of;

/** Those of the program itself; each feature declares its own. */
export const groundSettings = defineSettings({
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
  kubeconfig: setting({
    env: "KUBECONFIG",
    flag: "--kubeconfig",
    value: "file",
    help: "kubeconfig of the cluster that documents may name values and objects of, with its account's rights; in a pod the pod's own when absent; none for no cluster",
    schema: z.string().optional(),
  }),
  valuesDir: setting({
    env: "MAINSTAY_VALUES_DIR",
    flag: "--values-dir",
    value: "directory",
    help: "where values that documents name lie as files: secrets/<namespace>/<name>/<key>, and configmaps likewise",
    schema: z
      .string()
      .refine(isAbsolute, "must be a directory such as /etc/mainstay/values")
      .optional(),
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
  encryptionKeysPrevious: setting({
    env: "MAINSTAY_ENCRYPTION_KEYS_PREVIOUS",
    flag: "--encryption-keys-previous",
    value: "keys",
    help: "keys from before, apart by commas: stored secrets are read with them until mainstay rotate-key has encrypted all anew",
    isSecret: true,
    schema: words.refine(
      (keys) => keys.every((key) => /^[A-Za-z0-9+/]{43}=?$/.test(key)),
      "must be keys of 32 bytes in base64, apart by commas",
    ),
  }),
});

/** The value of every setting. */
export interface Config extends SettingValues<typeof groundSettings> {}

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
export function readSettings(
  settings: Settings,
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
  // Whole where the settings of every feature are given.
  return Object.fromEntries(entries) as unknown as Config;
}
