import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unsupportedCheckTypes } from "./canary-spec.ts";
import { canarySecretPlaces, mapCanarySecrets, withoutRegistries } from "./canary-secrets.ts";
import { judgeSpec } from "../documents/document-format.ts";
import { canaryFormat } from "./canary-format.ts";
import { canarySpecJsonSchema, checkJsonSchema } from "./json-schema.ts";
import { secretPlaceholder } from "../secrets/marks.ts";

const found = (spec: Record<string, unknown>) =>
  Object.fromEntries(canarySecretPlaces(spec).map(({ path, value }) => [path, value]));
const masked = (spec: Record<string, unknown>) => mapCanarySecrets(spec, () => secretPlaceholder);
const inCheck = (type: string, check: object) =>
  Object.fromEntries(
    Object.entries(found({ [type]: [{ name: "a", ...check }] })).map(([path, value]) => [
      path.replace(`${type}[name=a]`, "").replace(/^\./, ""),
      value,
    ]),
  );

describe("what our schemas mark", () => {
  test.each<[string, string, object, Record<string, unknown>]>([
    ["a password", "http", { password: "s" }, { password: "s" }],
    ["one in an object", "http", { password: { value: 12 } }, { password: 12 }],
    [
      "one of the form",
      "http",
      { authentication: { username: "u", password: "s" } },
      { "authentication.password": "s" },
    ],
    [
      "headers",
      "http",
      {
        headers: [
          { name: "Authorization", value: "Bearer s" },
          { name: "Accept", value: "x" },
          { name: "X-Own", value: "o" },
        ],
      },
      { "headers[name=Authorization].value": "Bearer s", "headers[name=X-Own].value": "o" },
    ],
    [
      "two headers of one name",
      "http",
      {
        headers: [
          { name: "A", value: "1" },
          { name: "A", value: "2" },
        ],
      },
      { "headers[name=A].value": "1", "headers[name=A,2].value": "2" },
    ],
    ["variables of http", "http", { env: [{ name: "A", value: "1" }] }, { "env[name=A]": "1" }],
    [
      "variables of a script",
      "exec",
      {
        script: "x",
        env: [
          { name: "A", value: "1" },
          { name: "B", valueFrom: { secretKeyRef: { name: "n", key: "k" } } },
        ],
      },
      { "env[name=A].value": "1" },
    ],
    [
      "the key of TLS",
      "redis",
      { tlsConfig: { ca: "ca", cert: "cert", key: "k" } },
      { "tlsConfig.key": "k" },
    ],
    [
      "a key beside a certificate",
      "redis",
      { tlsConfig: { cert: { value: "-----BEGIN EC PRIVATE KEY-----" } } },
      { "tlsConfig.cert": "-----BEGIN EC PRIVATE KEY-----" },
    ],
    ["a heartbeat's token", "heartbeat", { token: "t" }, { token: "t" }],
    [
      "an address",
      "http",
      { url: "https://u:p%40@h:8/x?token=t&a=b#f" },
      { "url#password": "p%40", "url#token": "t" },
    ],
    ["a proxy", "http", { proxy: "http://u:p@h" }, { "proxy#password": "p" }],
    [
      "a list of pairs",
      "postgres",
      { url: "host=h user=u password='a b' dbname=d" },
      { "url#password": "'a b'" },
    ],
    ["the Go form", "mysql", { url: "u:p@q:r@tcp(h:3306)/d" }, { "url#password": "p@q:r" }],
    ["redis", "redis", { addr: "u:p@h:6379" }, { "addr#password": "p" }],
    ["redis without a user", "redis", { url: "redis://:p@h" }, { "url#password": "p" }],
    [
      "a password with a slash",
      "postgres",
      { connection: "postgres://u:p/w@h/d" },
      { "connection#password": "p/w" },
    ],
    [
      "a password as a parameter",
      "postgres",
      { url: "postgres://h/d?user=u&password=p" },
      { "url#password": "p" },
    ],
    ["a folder far away", "folder", { path: "sftp://u:p@h/x" }, { "path#password": "p" }],
    [
      "what is not supported yet",
      "http",
      { oauth2: { clientID: "i", clientSecret: "s", tokenURL: "https://h/token" } },
      { "oauth2.clientSecret": "s" },
    ],
    [
      "what steps send and begin with",
      "multistep",
      {
        env: [{ name: "P", value: "e" }],
        steps: [
          {
            url: "/x?token=t",
            headers: [
              { name: "x-key", value: "h" },
              { name: "authorization", value: "Bearer ${token}" },
              { name: "x-all", value: "${token}" },
              { name: "x-word", value: "hunter2 ${token}" },
            ],
          },
        ],
      },
      {
        "env[name=P].value": "e",
        "steps[0].headers[name=x-key].value": "h",
        "steps[0].headers[name=x-word].value": "hunter2 ${token}",
        "steps[0].url#token": "t",
      },
    ],
    [
      "what looks like a variable where there are no steps",
      "http",
      { password: "${token}" },
      { password: "${token}" },
    ],
    ["keys that nobody reads", "http", { Bearer_Token: "s" }, { Bearer_Token: "s" }],
  ])("%s", (_, type, check, places) => {
    expect(inCheck(type, check)).toEqual(places);
  });

  test.each<[string, object]>([
    [
      "references",
      { password: { name: "x", valueFrom: { secretKeyRef: { name: "n", key: "k" } } } },
    ],
    ["short references", { password: "secret://a/b" }],
    ["user names", { username: "u", url: "https://u@h/" }],
    ["what a template fills in", { url: "https://$(username):$(password)@h/" }],
    ["addresses without credentials", { url: "https://h:80/@a:b@c?x=y" }],
    ["labels", { labels: { password: "no" } }],
    ["nothing", { password: "", headers: [{ name: "A" }] }],
  ])("%s stay readable", (_, check) => {
    expect(inCheck("http", check)).toEqual({});
  });

  test("variables of the document", () => {
    expect(found({ env: { A: { value: "s" } } })).toEqual({ "env.A.value": "s" });
  });
});

describe("where no schema is ours, names tell", () => {
  test.each<[string, object, Record<string, unknown>]>([
    ["password", { password: "s" }, { password: "s" }],
    [
      "any case and separators",
      { "API-key": "s", access_Key: "t", "client.secret": "u" },
      { "API-key": "s", access_Key: "t", '["client.secret"]': "u" },
    ],
    [
      "everything below",
      { credentials: { username: "u", a: { b: ["s", 7] } } },
      { "credentials.a.b[0]": "s", "credentials.a.b[1]": 7 },
    ],
    [
      "but not references",
      { accessKey: { valueFrom: { secretKeyRef: { name: "n", key: "k" } } }, secretName: "n" },
      {},
    ],
    [
      "pairs",
      {
        items: [
          { name: "MY_TOKEN", value: "s" },
          { name: "other", value: "o" },
        ],
      },
      { "items[name=MY_TOKEN].value": "s" },
    ],
    ["headers as a map", { headers: { Accept: "x", "X-Any": "s" } }, { "headers.X-Any": "s" }],
    ["headers as lines", { headers: ["Accept: x", "X-Any: s"] }, { "headers[1]": "X-Any: s" }],
    [
      "variables",
      { spec: { containers: [{ name: "c", env: [{ name: "A", value: "s" }] }] } },
      { "spec.containers[name=c].env[name=A].value": "s" },
    ],
    [
      "variables as a map",
      { env: { A: "s", B: { value: "t" } } },
      { "env.A": "s", "env.B.value": "t" },
    ],
    [
      "addresses",
      { connection: "mongodb://u:p@a,b/d", any: "x", to: "amqp://u:q@h" },
      { "connection#password": "p", "to#password": "q" },
    ],
    [
      "private keys",
      { pem: "-----BEGIN PRIVATE KEY-----\nx" },
      { pem: "-----BEGIN PRIVATE KEY-----\nx" },
    ],
    [
      "lists of pairs in a text",
      { url: "Server=h;User Id=sa;Password=p q" },
      { "url#password": "p q" },
    ],
  ])("%s", (_, check, places) => {
    for (const type of ["mysql", "mssql"]) expect(inCheck(type, check)).toEqual(places);
  });

  test("for every type that is kept, as a list and as one", () => {
    for (const type of unsupportedCheckTypes) {
      expect(found({ [type]: [{ name: "a", token: "s" }] })).toEqual({
        [`${type}[name=a].token`]: "s",
      });
      expect(found({ [type]: { name: "a", token: "s" } })).toEqual({ [`${type}.token`]: "s" });
    }
    expect(found({ unheardOf: { token: "s" } })).toEqual({ "unheardOf.token": "s" });
  });
});

test("a masked document is a document still, and its secrets are where they were", () => {
  const spec = {
    http: [{ name: "a", url: "https://u:p@h/?token=t", headers: [{ name: "A", value: "1" }] }],
    postgres: [{ name: "p", url: "host=h password='a b'" }],
    mysql: [{ name: "m", url: "u:p@tcp(h:1)/d" }],
    redis: [{ name: "r", addr: "u:p@h:1" }],
    heartbeat: [{ name: "h", every: "1m", token: "0123456789abcdef" }],
  };
  const shown = masked(spec);
  expect(judgeSpec(canaryFormat, shown).findings).toEqual([]);
  expect(found(shown)).toEqual(
    Object.fromEntries(Object.keys(found(spec)).map((path) => [path, secretPlaceholder])),
  );
  expect(canarySecretPlaces(shown).map(({ destination }) => destination)).toEqual(
    canarySecretPlaces(spec).map(({ destination }) => destination),
  );
});

describe("destinations", () => {
  const to = (check: object, type = "http") =>
    canarySecretPlaces({ [type]: [{ name: "a", password: "s", ...check }] })[0]?.destination;

  test.each<[string, object, object]>([
    ["path and parameters", { url: "https://h/a?b=c" }, { url: "https://H:443/d" }],
    ["another password", { url: "https://u:1@h/" }, { url: "https://u:********@h/" }],
    [
      "what only describes",
      { url: "https://h/", labels: { host: "a" } },
      { url: "https://h/", description: "x" },
    ],
    ["the database", { url: "postgres://h/a" }, { url: "postgres://h/b?connect_timeout=1" }],
    ["pairs", { url: "host=h password=a dbname=x" }, { url: "host=h password=b dbname=y" }],
  ])("%s: the same", (_, one, other) => {
    expect(to(one)).toBe(to(other));
  });

  test.each<[string, object, object]>([
    ["host", { url: "https://h/" }, { url: "https://h.evil/" }],
    ["folder far away", { path: "sftp://h/x" }, { path: "sftp://evil/x" }],
    ["share", { path: String.raw`\\h\x` }, { path: String.raw`\\evil\x` }],
    ["port", { url: "https://h/" }, { url: "https://h:444/" }],
    ["scheme", { url: "https://h/" }, { url: "http://h/" }],
    ["user info that looks like a host", { url: "https://h/" }, { url: "https://h:x@evil/" }],
    ["another field", { url: "https://h/" }, { url: "https://h/", proxy: "http://evil" }],
    [
      "a host by user name",
      { url: "https://$(username)/", username: "h" },
      { url: "https://$(username)/", username: { value: "evil" } },
    ],
    ["a host as a parameter", { url: "postgres://h/a" }, { url: "postgres://h/a?host=evil" }],
    [
      "a host among pairs",
      { url: "host=h password=a" },
      { url: "host=h user='x'host=evil password=a" },
    ],
    ["the Go form", { url: "u:p@tcp(h:1)/d" }, { url: "u:p@tcp(evil:1)/d" }],
    ["a stored connection", { connection: "connection://a/b" }, { connection: "connection://a/c" }],
    [
      "TLS without a look at who it is",
      { url: "https://h/" },
      { url: "https://h/", tlsConfig: { insecureSkipVerify: true } },
    ],
    [
      "deep inside",
      { url: "https://h/", oauth2: { tokenURL: "https://h" } },
      { url: "https://h/", oauth2: { tokenURL: "https://evil" } },
    ],
  ])("%s: another", (_, one, other) => {
    expect(to(one)).not.toBe(to(other));
  });

  const image = { image: "registry.example/shop/web:1" };
  test.each<[string, object, boolean]>([
    ["another tag", { image: "registry.example/shop/web:2" }, true],
    ["another repository", { image: "Registry.example/a" }, true],
    ["another registry", { image: "evil.example/shop/web:1" }, false],
    ["none, which is Docker Hub", { image: "shop/web:1" }, false],
    ["another port", { image: "registry.example:5000/shop/web:1" }, false],
    ["HTTP", { ...image, insecure: true }, false],
    ["what is filled in", { image: "{{.host}}/shop/web:1" }, false],
  ])("of an image its registry: %s", (_, other, isSame) => {
    for (const type of ["docker", "containerd"]) {
      expect(to(other, type) === to(image, type)).toBe(isSame);
      const shared = (check: object, under: unknown = [{ name: "a", ...check }]) =>
        canarySecretPlaces({ env: { A: { value: "s" } }, [type]: under })[0]?.destination;
      expect(shared(other) === shared(image)).toBe(isSame);
      expect(shared(other, other) === shared(image)).toBe(isSame);
      expect(withoutRegistries(to(image, type)!)).toBe("");
    }
    expect(to(other, "pod")).toBe(to(image, "pod"));
  });

  test("an agent is one", () => {
    const http = [{ name: "a", url: "https://h/", password: "s" }];
    const [here] = canarySecretPlaces({ http });
    const [away] = canarySecretPlaces({ http, agentSelector: ["evil"] });
    expect(away?.destination).not.toBe(here?.destination);
  });

  test("of what the document holds for all checks: all of them", () => {
    const env = { A: { value: "s" } };
    const one = { env, http: [{ name: "a", url: "https://h/" }] };
    const more = { ...one, tcp: [{ name: "b", endpoint: "evil:1" }] };
    expect(canarySecretPlaces(one)[0]?.destination).not.toBe(
      canarySecretPlaces(more)[0]?.destination,
    );
    expect(
      canarySecretPlaces({ exec: [{ name: "a", env: [{ name: "A", value: "1" }] }] })[0]
        ?.destination,
    ).toBe("");
  });
});

test("long texts are read in no time", () => {
  const long = 100_000;
  const began = process.cpuUsage();
  for (const text of [
    "a".repeat(long),
    " ".repeat(long),
    "a:".repeat(long),
    "a='".repeat(long),
    "?a".repeat(long),
    "://a:".repeat(long),
  ])
    for (const more of ["", "=", "@", "=x;"])
      canarySecretPlaces({ mongodb: [{ any: `${text}${more}` }, { any: `a${text}\n${more}` }] });
  // Of the processor, not of the clock: the machine may have more to do.
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(8_000);
});

test("editors see the marks", () => {
  const field = (schema: object, ...keys: string[]) =>
    keys.reduce((at, key) => (at as Record<string, object>)[key] as object, schema);
  const isSecret = { writeOnly: true, format: "password" };
  expect(field(checkJsonSchema("http"), "properties", "password")).toMatchObject(isSecret);
  expect(
    field(
      canarySpecJsonSchema(),
      "properties",
      "exec",
      "items",
      "properties",
      "env",
      "items",
      "properties",
      "value",
    ),
  ).toMatchObject(isSecret);
  expect(
    field(checkJsonSchema("http"), "properties", "headers", "items", "properties", "value"),
  ).toMatchObject(isSecret);
  expect(field(checkJsonSchema("http"), "properties", "username")).not.toMatchObject(isSecret);
});

test("tokens that are written down are long enough", () => {
  const of = (token: unknown) =>
    judgeSpec(canaryFormat, { heartbeat: [{ name: "a", every: "1m", token }] }).findings;
  expect(of("0123456789abcde")).toMatchObject([
    { severity: "error", path: ["heartbeat", 0, "token"] },
  ]);
  expect(of({ value: "short" })).toHaveLength(1);
  for (const token of ["0123456789abcdef", secretPlaceholder, undefined])
    expect(of(token)).toEqual([]);
});

test("whatever a document holds: places have paths of their own, and what is exchanged can be brought back", () => {
  const key = fc.oneof(
    fc.constantFrom("password", "url", "headers", "env", "name", "value", "token", "a.b", "x]"),
    fc.string(),
  );
  const address = fc
    .tuple(fc.string(), fc.string())
    .map(
      ([password, rest]) =>
        `postgres://u:${encodeURIComponent(password)}@h/${encodeURIComponent(rest)}?password=${encodeURIComponent(rest)}`,
    );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      address,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  const check = fc.dictionary(key, tree, { maxKeys: 5 });
  fc.assert(
    fc.property(fc.constantFrom("http", "exec", "mongodb", "folder"), check, (type, one) => {
      const spec = { [type]: [one] };
      const kept = new Map<string, unknown>();
      const shown = mapCanarySecrets(spec, ({ path, value }) => {
        expect(kept.has(path), path).toBe(false);
        kept.set(path, value);
        return secretPlaceholder;
      });
      const back = mapCanarySecrets(shown, ({ path, value }) =>
        kept.has(path) ? kept.get(path) : value,
      );
      expect(back).toEqual(spec);
    }),
    { numRuns: 500 },
  );
});
