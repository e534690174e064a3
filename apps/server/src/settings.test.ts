import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Config, groundSettings } from "#platform/config.ts";
import { features } from "./features.ts";
import { gather, readConfig, settings } from "./settings.ts";

type Key = keyof Config;

const good: [Key, string, unknown][] = [
  ["port", "0", 0],
  ["port", "65535", 65_535],
  ["host", "0.0.0.0", "0.0.0.0"],
  ["host", "::1", "::1"],
  ["host", "mainstay.example.org", "mainstay.example.org"],
  ["publicUrl", "https://mainstay.example.org/", "https://mainstay.example.org"],
  ["publicUrl", "http://localhost:3100", "http://localhost:3100"],
  ["dataDir", "/srv/mainstay", "/srv/mainstay"],
  ["dataDir", "below/here", resolve("below/here")],
  ["databaseUrl", "postgres://u:p@db/name", "postgres://u:p@db/name"],
  ["databaseUrl", "postgresql://u@/n?host=%2Frun", "postgresql://u@/n?host=%2Frun"],
  ["migrationDatabaseUrl", "postgres://o:p@db/name", "postgres://o:p@db/name"],
  ["adminEmail", "admin@local", "admin@local"],
  ["adminPassword", "12345678", "12345678"],
  ["logLevel", "debug", "debug"],
  ["role", "worker", "worker"],
  ["checkerOnly", "true", true],
  ["checkerOnly", "1", true],
  ["checkerOnly", "no", false],
  ["checkerWrite", "yes", true],
  ["checkerWriteAnyone", "true", true],
  ["codeRoles", "editor", ["admin", "editor"]],
  ["codeRoles", "admin", ["admin"]],
  // Whoever stands above a role may do what it may.
  ["codeRoles", "responder, commander", ["admin", "editor", "commander", "responder"]],
  ["trustProxy", "127.0.0.1, 10.0.0.0/8,loopback", ["127.0.0.1", "10.0.0.0/8", "loopback"]],
  ["checkAllow", "10.0.0.0/8, ::1", ["10.0.0.0/8", "::1"]],
  ["checkDeny", "192.168.0.0/16", ["192.168.0.0/16"]],
  ["checkConcurrency", "10000", 10_000],
  ["artifactRetention", "7d", 604_800_000],
  ["artifactStore", "500mb", 524_288_000],
  ["artifactStore", "0", 0],
  ["logRetention", "14d", 1_209_600_000],
  ["logStore", "10gb", 10_737_418_240],
  ["ownLog", "no", false],
  ["syslogPort", "5514", 5514],
  ["syslogHost", "0.0.0.0", "0.0.0.0"],
  ["exec", "on", "on"],
  ["execUids", "70000-70099", { from: 70_000, to: 70_099 }],
  ["socketDirs", "/run/postgresql, /run/mysqld", ["/run/postgresql", "/run/mysqld"]],
  ["networkProbe", "1.1.1.1:53,[2606::1111]:53", ["1.1.1.1:53", "[2606::1111]:53"]],
  ["registration", "open", "open"],
  [
    "smtpUrl",
    "smtps://me:pass%20word@mail.example.org:465",
    "smtps://me:pass%20word@mail.example.org:465",
  ],
  ["mailFrom", "Mainstay <ops@example.org>", "Mainstay <ops@example.org>"],
  ["mailFrom", "ops@example.org", "ops@example.org"],
  ["signInByCode", "true", true],
  ["identityUrl", "http://kratos:4433/", "http://kratos:4433"],
  ["identityUrl", "https://example.org/kratos", "https://example.org/kratos"],
  ["identityFlowLifespan", "30m", 1_800_000],
  ["identityPrivilegedAge", "1h30m", 5_400_000],
  ["sessionLifespan", "7d", 604_800_000],
  ["sessionIdle", "45m", 2_700_000],
  ["encryptionKey", Buffer.alloc(32, 7).toString("base64"), Buffer.alloc(32, 7).toString("base64")],
  [
    "encryptionKeysPrevious",
    [7, 8].map((fill) => Buffer.alloc(32, fill).toString("base64")).join(", "),
    [7, 8].map((fill) => Buffer.alloc(32, fill).toString("base64")),
  ],
  ["selfChecks", "false", false],
  ["selfCatalog", "false", false],
  ["oidcProviders", "/etc/providers.yaml", "/etc/providers.yaml"],
  ["hostedIssuer", "https://id.example.org/realm/", "https://id.example.org/realm/"],
  ["hostedIssuer", "http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["hostedClientId", "console", "console"],
  ["hostedOrganization", "org_1", "org_1"],
  [
    "hostedOrigins",
    "https://a.example.org, https://b.example.org/",
    ["https://a.example.org", "https://b.example.org"],
  ],
  [
    "hostedBackends",
    "https://a.example.org, https://b.example.org/",
    ["https://a.example.org", "https://b.example.org"],
  ],
  [
    "hostedNewOrganization",
    "https://id.example.org/organizations/new",
    "https://id.example.org/organizations/new",
  ],
  ["propertiesFile", "/etc/mainstay.properties", "/etc/mainstay.properties"],
  ["propertiesFile", "below/here", resolve("below/here")],
  ["kubeconfig", "/etc/kubeconfig:/etc/other", "/etc/kubeconfig:/etc/other"],
  ["valuesDir", "/etc/mainstay/values", "/etc/mainstay/values"],
];

const network = "must be a comma list of addresses or networks such as 10.0.0.0/8";
const bad: [Key, string, string][] = [
  ["port", "70000", "must be between 0 and 65535"],
  ["port", "-1", "must be a whole number"],
  ["port", "0x50", "must be a whole number"],
  ["host", "http://0.0.0.0", "must be an address or a host name, without a port or http://"],
  ["host", "localhost:3100", "must be an address or a host name, without a port"],
  ["publicUrl", "mainstay.example.org", "must be an address such as https://mainstay.example.org"],
  ["publicUrl", "ftp://mainstay", "must be an address such as https://mainstay.example.org"],
  [
    "publicUrl",
    "https://example.org/mainstay",
    "must be an address without a path, such as https://mainstay.example.org",
  ],
  ["databaseUrl", "mysql://secret@x", "must start with postgres://"],
  [
    "databaseUrl",
    "postgres://u:secret@[::1/db",
    "must be an address such as postgres://user:password@host:5432/name",
  ],
  ["migrationDatabaseUrl", "db/secret", "must start with postgres://"],
  ["adminEmail", "admin", "must be an e-mail address"],
  ["adminPassword", "secret", "must have at least 8 characters"],
  ["adminPassword", "secret".repeat(200), "is too long"],
  ["logLevel", "loud", "must be one of trace, debug, info, warn, error, fatal, silent"],
  ["role", "boss", "must be all, api or worker"],
  ["checkerOnly", "maybe", "must be true or false"],
  ["checkerWrite", "2", "must be true or false"],
  ["checkerWriteAnyone", "all", "must be true or false"],
  ["codeRoles", "editors", "must be a comma list of admin, editor, commander, responder, viewer"],
  [
    "codeRoles",
    "editor viewer",
    "must be a comma list of admin, editor, commander, responder, viewer",
  ],
  ["trustProxy", "proxy.local", network],
  ["checkAllow", "10.0.0.0/99", network],
  ["checkDeny", "everything", network],
  ["checkConcurrency", "0", "must be between 1 and 10000"],
  ["artifactRetention", "1y", "must be between 1h and 30d"],
  ["artifactStore", "much", "must be a size such as 500mb or 2gb"],
  ["logRetention", "1h", "must be between 1d and 3650d"],
  ["logStore", "much", "must be a size such as 500mb or 2gb"],
  ["ownLog", "maybe", "must be true or false"],
  ["syslogPort", "70000", "must be between 0 and 65535"],
  ["syslogHost", "http://x", "must be an address of this machine"],
  ["exec", "true", "must be auto, on or off"],
  ["execUids", "60600", "must be two numbers such as 60600-61111"],
  ["execUids", "0-100", "must go from at least 1000 upwards and hold 2 to 4096 numbers"],
  ["execUids", "70000-70000", "must go from at least 1000 upwards and hold 2 to 4096 numbers"],
  ["execUids", "65000-65999", "must not hold 65534 and 65535, which mean nobody"],
  ["socketDirs", "run/postgresql", "must be a comma list of directories such as /run/postgresql"],
  ["valuesDir", "values", "must be a directory such as /etc/mainstay/values"],
  ["networkProbe", "1.1.1.1", "must be a comma list of host:port"],
  ["networkProbe", "1.1.1.1:99999", "must be a comma list of host:port"],
  ["registration", "everybody", "must be open, invite or closed"],
  [
    "smtpUrl",
    "http://me:secret@mail.example.org",
    "must be an address such as smtp://user:password@mail.example.org:587",
  ],
  ["mailFrom", "ops", "must be an e-mail address"],
  ["mailFrom", "Ops <ops@example.org>\r\nBcc: x@y.example", "must be an e-mail address"],
  ["signInByCode", "perhaps", "must be true or false"],
  ["identityUrl", "kratos:4433", "must be an address such as http://service:4433"],
  ["identityUrl", "http://kratos:4433/?a=b", "must be an address without a user, ? and #"],
  ["identityUrl", "http://me:pass@kratos:4433", "must be an address without a user, ? and #"],
  ["identityFlowLifespan", "soon", "must be a duration such as 30m or 24h"],
  ["identityFlowLifespan", "1s", "must be between 1m and 1d"],
  ["identityPrivilegedAge", "2d", "must be between 1m and 1d"],
  ["sessionLifespan", "1m", "must be between 5m and 365d"],
  ["sessionIdle", "0", "must be between 5m and 365d"],
  ["encryptionKey", "secret", "must be 32 bytes in base64, such as openssl rand -base64 32 prints"],
  [
    "encryptionKey",
    `${"secret ".repeat(7)}=`,
    "must be 32 bytes in base64, such as openssl rand -base64 32 prints",
  ],
  ["encryptionKeysPrevious", "secret", "must be keys of 32 bytes in base64, apart by commas"],
  ["selfChecks", "sometimes", "must be true or false"],
  ["selfCatalog", "sometimes", "must be true or false"],
  ["oidcProviders", "secret".repeat(40_000), "is too long"],
  ["hostedIssuer", "id.example.org", "must be an address such as https://id.example.org"],
  [
    "hostedIssuer",
    "http://id.example.org",
    "must begin with https:// unless it is on this machine",
  ],
  ["hostedIssuer", "https://id.example.org/?a=b", "must be an address without ? and #"],
  ["hostedClientId", "x".repeat(129), "is too long"],
  ["hostedOrganization", "x".repeat(129), "is too long"],
  ["hostedOrigins", "*", "must be an address such as https://mainstay.example.org"],
  ["hostedBackends", "*", "must be an address such as https://mainstay.example.org"],
  ["hostedNewOrganization", "/organizations", "must be an address such as http://service:4433"],
];

test("every setting has a good value here, and every one that can be wrong a bad one", () => {
  const keys = Object.keys(settings);
  expect([...new Set(good.map(([key]) => key))].toSorted()).toEqual(keys.toSorted());
  // Any text is a path.
  const paths = ["dataDir", "propertiesFile", "kubeconfig"];
  const fallible = keys.filter((key) => !paths.includes(key));
  expect([...new Set(bad.map(([key]) => key))].toSorted()).toEqual(fallible.toSorted());
});

test.each(good)("%s may be %s", (key, value, expected) => {
  expect(readConfig({ [key]: value }, {})[key]).toEqual(expected);
  expect(readConfig({}, { [settings[key].env]: value })[key]).toEqual(expected);
});

describe.each(bad)("%s may not be %s", (key, value, message) => {
  test.each([
    ["flag", settings[key].flag, { [key]: value }, {}],
    ["environment", settings[key].env, {}, { [settings[key].env]: value }],
  ])("from the %s: one line that names it", (_where, name, flags, env) => {
    let said = "";
    try {
      readConfig(flags, env);
    } catch (error) {
      said = (error as Error).message;
    }
    const secret = settings[key].isSecret;
    expect(said).toBe(
      secret ? `${name} ${message}` : `${name} ${message} (it is ${JSON.stringify(value)})`,
    );
    expect(said).not.toContain("secret");
  });
});

test("a flag is stronger than the environment, which is stronger than the default; empty is absent", () => {
  const read = (flag: string | undefined, env: string | undefined) =>
    readConfig({ port: flag }, { PORT: env }).port;
  expect(read("1", "2")).toBe(1);
  expect(read(undefined, "2")).toBe(2);
  expect(read("", "2")).toBe(2);
  expect(read("", "")).toBe(3100);
  expect(read(undefined, undefined)).toBe(3100);
});

test("what identity is like when nothing is set", () => {
  expect(readConfig({}, {})).toMatchObject({
    adminEmail: "admin@local",
    adminPassword: undefined,
    registration: "invite",
    smtpUrl: undefined,
    mailFrom: "Mainstay <mainstay@localhost>",
    signInByCode: false,
    identityUrl: undefined,
    identityFlowLifespan: 3_600_000,
    identityPrivilegedAge: 900_000,
    sessionLifespan: 86_400_000,
    sessionIdle: 43_200_000,
    encryptionKey: undefined,
    encryptionKeysPrevious: [],
    propertiesFile: undefined,
    oidcProviders: undefined,
    hostedIssuer: undefined,
    hostedClientId: undefined,
    hostedOrganization: undefined,
    hostedOrigins: [],
  });
});

test("what --help calls the default is the default", () => {
  const config = readConfig({}, {});
  for (const [key, row] of Object.entries(settings))
    if (row.default !== undefined)
      expect(readConfig({ [key]: row.default }, {})[key as Key]).toEqual(config[key as Key]);
});

test("a very long wrong value is not shown whole", () => {
  expect(() => readConfig({ port: "x".repeat(10_000) }, {})).toThrow(/^--port .{0,300}$/);
});

test("no two settings have a name, a variable or a flag in common", () => {
  const { port } = settings;
  expect(() => gather([{ port }, { port }])).toThrow("Two settings are called port.");
  const other = { ...port, flag: "--other-port" };
  expect(() => gather([{ port }, { other }])).toThrow("Two settings are called PORT.");
  expect(() => gather([{ port }, { other: { ...other, env: "OTHER_PORT" } }])).not.toThrow();
});

test("each feature declares what is its own, and the platform none of theirs", () => {
  const declared = features.flatMap(({ settings: own = {} }) => Object.keys(own));
  expect(declared).toEqual(
    expect.arrayContaining(["adminEmail", "hostedIssuer", "propertiesFile", "checkConcurrency"]),
  );
  expect(declared.filter((key) => key in groundSettings)).toEqual([]);
});
