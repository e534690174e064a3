import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";

const txEnds = ["commit", "commit-allow-override", "rollback", "rollback-allow-override"] as const;
const openApiModes = ["follow-privileges", "ignore-privileges", "disabled"] as const;
const logLevels = ["crit", "error", "warn", "info", "debug"] as const;

/** What PostgREST's settings of the same names say. */
export interface ServeOptions {
  dbUri: string;
  dbSchemas: string[];
  dbAnonRole?: string;
  dbExtraSearchPath: string[];
  dbMaxRows?: number;
  dbPreRequest?: string;
  dbRootSpec?: string;
  dbAggregatesEnabled: boolean;
  dbPlanEnabled: boolean;
  dbCostLimits: boolean;
  dbTxEnd: (typeof txEnds)[number];
  dbPool: number;
  dbPoolAcquisitionTimeout: number;
  dbChannel: string;
  dbChannelEnabled: boolean;
  jwtSecret?: string;
  jwtSecretIsBase64: boolean;
  jwtAud?: string;
  jwtRoleClaimKey: string;
  openapiMode: (typeof openApiModes)[number];
  openapiSecurityActive: boolean;
  openapiServerProxyUri?: string;
  serverHost: string;
  serverPort: number;
  serverUnixSocket?: string;
  serverTimingEnabled: boolean;
  serverCorsAllowedOrigins?: string[];
  logLevel: (typeof logLevels)[number];
  /** Settings of the transaction, by their whole name. */
  appSettings: Record<string, string>;
}

const list = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

function flag(text: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw new InvalidArgumentError("It must be true or false.");
}

const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };

const variable = (long: string) => `PGRST_${long.toUpperCase().replaceAll("-", "_")}`;

function option(name: string, value: string, about: string): Option {
  return new Option(`--${name} ${value}`, about).env(variable(name));
}

/** A flag alone means true. */
const toggle = (name: string, about: string, preset = false) =>
  option(name, "[yes]", about).argParser(flag).preset("true").default(preset);

function options(): Option[] {
  return [
    option("db-uri", "<uri>", "address of the database").makeOptionMandatory(),
    option("db-schemas", "<names>", "schemas to show; the first unless a request names one")
      .argParser(list)
      .default(["public"]),
    option("db-anon-role", "<role>", "role of requests without a token"),
    option("db-extra-search-path", "<names>", "schemas where functions and types are found too")
      .argParser(list)
      .default(["public"]),
    option("db-max-rows", "<count>", "rows in one answer at most").argParser(whole(0, 1e9)),
    new Option("--max-rows <count>", "the same").argParser(whole(0, 1e9)),
    option("db-pre-request", "<function>", "function called before every request"),
    option("db-root-spec", "<function>", "function that answers at the root path"),
    toggle("db-aggregates-enabled", "allow sum() and the like"),
    toggle("db-plan-enabled", "allow asking for the database's plan"),
    toggle(
      "db-cost-limits",
      "refuse patterns and embeds that can explode, cut long embedded lists, and end an answer of more than 64 MiB while it is made (not in PostgREST)",
    ),
    option("db-tx-end", "<how>", "how transactions end").choices(txEnds).default("commit"),
    option("db-pool", "<count>", "connections at most").argParser(whole(1, 1000)).default(10),
    option("db-pool-acquisition-timeout", "<seconds>", "how long to wait for a connection")
      .argParser(whole(1, 3600))
      .default(10),
    option("db-channel", "<name>", "channel whose notifications reload the schema").default(
      "pgrst",
    ),
    toggle("db-channel-enabled", "listen there", true),
    option("jwt-secret", "<secret>", "text, JWK, JWKS, or @file with one of them"),
    toggle("jwt-secret-is-base64", "the text is base64"),
    option("jwt-aud", "<audience>", "audience that tokens must be for"),
    option("jwt-role-claim-key", "<path>", "where a token says its role").default(".role"),
    option("openapi-mode", "<mode>", "what the root path tells")
      .choices(openApiModes)
      .default("follow-privileges"),
    toggle("openapi-security-active", "say there that a token is wanted"),
    option("openapi-server-proxy-uri", "<uri>", "the address to name there"),
    option("server-host", "<address>", "address to listen on").default("127.0.0.1"),
    new Option("--host <address>", "the same"),
    option("server-port", "<port>", "port to listen on").argParser(whole(0, 65_535)).default(3000),
    new Option("--port <port>", "the same").argParser(whole(0, 65_535)),
    option("server-unix-socket", "<path>", "socket to listen on instead"),
    toggle("server-timing-enabled", "say how long each stage took"),
    option(
      "server-cors-allowed-origins",
      "<origins>",
      "origins that may ask; all unless said",
    ).argParser(list),
    option("log-level", "<level>", "what is written on the error output")
      .choices(logLevels)
      .default("error"),
  ];
}

const appSetting = /^--app[-.]settings\.([\w.]+)=([^]*)$/;

/** Reads flags, `PGRST_*` variables and a file of `key = value` lines, in this order of weight. */
export function parseOptions(
  argv: readonly string[],
  act: (options: ServeOptions) => Promise<void>,
): Promise<Command> {
  const appSettings = settingsOfEnvironment();
  const rest = argv.filter((argument) => {
    const [, name, value] = appSetting.exec(argument) ?? [];
    if (name !== undefined && value !== undefined) appSettings[`app.settings.${name}`] = value;
    return name === undefined;
  });
  const file = rest.find(
    (argument, index) => index > 0 && !argument.startsWith("-") && argument.endsWith(".conf"),
  );
  if (file) Object.assign(appSettings, readFile(file));
  const program = new Command("data-api")
    .description("Shows the tables and functions of a PostgreSQL database over HTTP.")
    .showHelpAfterError("Say --help for all options.");
  const serve = program.command("serve", { isDefault: true }).argument("[file]", "settings");
  for (const one of options()) serve.addOption(one);
  program.addHelpText("after", () => `\n${serve.helpInformation()}`);
  serve.action(async (_file: string | undefined, given: ServeOptions & Short) => {
    await act({
      ...given,
      dbMaxRows: given.maxRows ?? given.dbMaxRows,
      serverHost: hostOf(given.host ?? given.serverHost),
      serverPort: given.port ?? given.serverPort,
      appSettings,
    });
  });
  return program.parseAsync([...rest], { from: "user" });
}

interface Short {
  maxRows?: number;
  host?: string;
  port?: number;
}

const hosts: Record<string, string> = {
  "*": "::",
  "!4": "0.0.0.0",
  "*4": "0.0.0.0",
  "*6": "::",
  "!6": "::",
};
const hostOf = (host: string) => hosts[host] ?? host;

function settingsOfEnvironment(): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    const [, key] = /^PGRST_APP_SETTINGS_(\w+)$/.exec(name) ?? [];
    if (key && value !== undefined) settings[`app.settings.${key.toLowerCase()}`] = value;
  }
  return settings;
}

/** What a file says holds where no variable does. Returns the settings of transactions in it. */
function readFile(path: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const [, key, quoted, plain] =
      /^\s*([\w.-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^#]*))/.exec(line) ?? [];
    if (!key) continue;
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain?.trim() ?? "";
    if (key.startsWith("app.settings.")) settings[key] = value;
    else process.env[variable(key)] ??= value;
  }
  return settings;
}
