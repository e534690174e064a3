import { createVerify, generateKeyPairSync } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { parseLogSearch } from "@mainstay/contract";
import { RE2JS } from "re2js";
import { asPlain } from "#platform/outbound/http/read-json.ts";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { type AskOptions, askBackend, asked as asking, specOf } from "../testing/ask-backend.ts";
import { itSurvivesAnyServer } from "../testing/hostile-server.ts";
import { gcpCloudLogging } from "./gcp-cloud-logging.ts";
import { loggingConditions } from "./logging-filter.ts";

/**
 * A stand-in for Cloud Logging's entries:list and for the sign-in of service accounts, written from their public
 * documentation: it verifies signatures and tokens, and reads the language of filters.
 */

afterEach(closeAll);

const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const strangers = generateKeyPairSync("rsa", { modulusLength: 2048 });
const email = "reader@shop.iam.gserviceaccount.com";

type Entry = Record<string, unknown>;
const start = BigInt(Date.parse("2026-06-15T10:00:00Z")) * 1_000_000n;
const timeOf = (nanos: bigint) =>
  `${new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, 19)}.${String(nanos % 1_000_000_000n).padStart(9, "0")}Z`;
const payloads: ((n: number) => Entry)[] = [
  (n) => ({ textPayload: n === 75 ? 'a "Needle" (1)\n' : `ERROR line ${n}` }),
  (n) => ({
    jsonPayload: { message: `line ${n}`, user: { id: n }, "app.name": "Shop" },
    severity: "INFO",
  }),
  (n) => ({ jsonPayload: { msg: `line ${n}`, level: "warn" } }),
  (n) => ({ protoPayload: { methodName: "storage.get", status: { code: n } }, severity: "NOTICE" }),
  (n) => ({
    textPayload: `line ${n}`,
    severity: n === 4 ? "EMERGENCY" : "ERROR",
    httpRequest: { status: 500 },
    labels: { "k8s-pod/app": n % 2 === 0 ? "web" : "Web" },
  }),
];
/** 1,000 entries, five of each moment. */
const all: Entry[] = Array.from({ length: 1000 }, (_, n) => ({
  logName: `projects/shop/logs/${n % 2 === 0 ? "stdout" : "stderr"}`,
  resource: { type: "k8s_container", labels: { pod_name: `pod-${n % 3}` } },
  timestamp: timeOf(start + BigInt(Math.floor(n / 5)) * 1_000_000_007n),
  insertId: `i${n}`,
  ...payloads[n % 5]!(n),
}));

/** Reads a filter: NOT binds most, then OR, then AND. */
function readFilter(text: string): (entry: Entry) => boolean {
  const tokens = [
    ...text
      .replaceAll(/--[^\n]*/g, "")
      .matchAll(
        /\s*(=~|!=|>=|<=|[=<>:()*]|"(?:[^"\\]|\\.)*"|(?:[\w-]+|"(?:[^"\\]|\\.)*")(?:\.(?:[\w-]+|"(?:[^"\\]|\\.)*"))*)/g,
      ),
  ].map(([, token]) => token!);
  let at = 0;
  const take = (token: string) => tokens[at] === token && ((at += 1), true);
  const unquoted = (token: string) =>
    token.startsWith('"') ? (JSON.parse(token) as string) : token;
  type Test = (entry: Entry) => boolean;
  const and = (): Test => {
    const tests = [or()];
    while (at < tokens.length && tokens[at] !== ")") {
      take("AND");
      tests.push(or());
    }
    return (entry) => tests.every((one) => one(entry));
  };
  const or = (): Test => {
    const tests = [not()];
    while (take("OR")) tests.push(not());
    return (entry) => tests.some((one) => one(entry));
  };
  const not = (): Test => {
    if (!take("NOT")) return one();
    const test = one();
    return (entry) => !test(entry);
  };
  const one = (): Test => {
    if (take("(")) {
      const test = and();
      if (!take(")")) throw new Error("Unparseable filter: missing )");
      return test;
    }
    const path = tokens[at++]!;
    const operator = tokens[at];
    if (operator === undefined || !/^(?:=~|!=|>=|<=|[=<>:])$/.test(operator)) {
      const word = unquoted(path).toLowerCase();
      return (entry) => leaves(entry).some((value) => value.toLowerCase().includes(word));
    }
    at += 1;
    const values: string[] = [];
    if (take("(")) {
      do values.push(unquoted(tokens[at++]!));
      while (take("OR"));
      if (!take(")")) throw new Error("Unparseable filter: missing )");
    } else values.push(unquoted(tokens[at++]!));
    const names = [...path.matchAll(/[\w-]+|"(?:[^"\\]|\\.)*"/g)].map(([name]) => unquoted(name));
    if (
      ![
        "timestamp",
        "severity",
        "logName",
        "resource",
        "labels",
        "textPayload",
        "jsonPayload",
        "protoPayload",
        "httpRequest",
        "trace",
        "spanId",
      ].includes(names[0]!)
    )
      throw new Error(`Unparseable filter: Field not found: '${names[0]}'`);
    return (entry) => {
      let found: unknown = names[0] === "severity" ? (entry.severity ?? "DEFAULT") : entry;
      if (names[0] !== "severity")
        for (const name of names) found = (found as Entry | undefined)?.[name];
      if (found === undefined || found === null) return false;
      return values.some((value) => compare(found, operator, value));
    };
  };
  return and();
}
const leaves = (value: unknown): string[] =>
  typeof value === "object" && value !== null
    ? Object.values(value).flatMap(leaves)
    : [asPlain(value)];
function compare(found: unknown, operator: string, value: string): boolean {
  if (operator === ":" && value === "*") return true;
  // Patterns are for texts alone, and the only thing that minds the case.
  if (operator === "=~")
    return typeof found === "string" && RE2JS.compile(value).matcher(found).find();
  const [one, other] = [asPlain(found).toLowerCase(), value.toLowerCase()];
  if (operator === ":") return one.includes(other);
  if (operator === "=") return one === other;
  const [left, right] = [one, other].map((text) => text.replace(/\.?0*z$/, ""));
  if (operator === ">=") return left! >= right!;
  return operator === "<=" ? left! <= right! : left! < right!;
}

async function startLogging({
  mostOfPage = 100,
  lasting = 3599,
}: { mostOfPage?: number; lasting?: number } = {}) {
  const asked: Record<string, unknown>[] = [];
  let busy = 0;
  let tokens = 0;
  let good = "";
  const { url } = await serve((request, response) => {
    const end = (code: number, body: unknown, headers = {}) =>
      response
        .writeHead(code, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(body));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      if (request.url === "/token") {
        const form = new URLSearchParams(body);
        const [head = "", claims = "", signature = ""] = form.get("assertion")?.split(".") ?? [];
        const said = JSON.parse(Buffer.from(claims, "base64url").toString()) as Entry;
        const isSigned = createVerify("RSA-SHA256")
          .update(`${head}.${claims}`)
          .verify(keys.publicKey, signature, "base64url");
        if (!isSigned || said.iss !== email || said.aud !== `${url}/token`)
          return end(400, { error: "invalid_grant", error_description: "Invalid JWT Signature." });
        good = `ya29.token${(tokens += 1)}`;
        return end(200, { access_token: good, expires_in: lasting, token_type: "Bearer" });
      }
      const fail = (code: number, status: string, message: string, headers = {}) =>
        end(code, { error: { code, message, status } }, headers);
      if (request.url !== "/v2/entries:list" || request.method !== "POST")
        return fail(404, "NOT_FOUND", "Not Found");
      if (request.headers.authorization !== `Bearer ${good}`)
        return fail(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
      if (busy > 0) {
        busy -= 1;
        return fail(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Read requests'", {
          "retry-after": "0",
        });
      }
      const question = JSON.parse(body) as Record<string, string> & { resourceNames: string[] };
      asked.push(question);
      if (!question.resourceNames.every((name) => name === "projects/shop"))
        return fail(403, "PERMISSION_DENIED", "Permission denied for all log views");
      let test: (entry: Entry) => boolean;
      try {
        test = readFilter(question.filter!);
      } catch (error) {
        return fail(400, "INVALID_ARGUMENT", (error as Error).message);
      }
      const sign = question.orderBy === "timestamp desc" ? -1 : 1;
      const found = all
        .filter(test)
        .toSorted(
          (a, b) =>
            sign *
            (String(a.timestamp) < String(b.timestamp) ? -1 : a.timestamp === b.timestamp ? 0 : 1),
        );
      const token = Number(question.pageToken ?? 0);
      // The first page of each question is empty: the search for entries went on for too long.
      const from = Math.max(token - 1, 0);
      const to = token === 0 ? 0 : Math.min(from + Number(question.pageSize), from + mostOfPage);
      return end(200, {
        ...(to > from && { entries: found.slice(from, to) }),
        ...(to < found.length && { nextPageToken: String(to + 1) }),
      });
    });
  });
  const credentials = (pair = keys) =>
    JSON.stringify({
      type: "service_account",
      project_id: "shop",
      private_key: pair.privateKey.export({ type: "pkcs8", format: "pem" }),
      client_email: email,
      token_uri: `${url}/token`,
    });
  const spec = { endpoint: url, credentials: { value: credentials() } };
  return {
    url,
    spec,
    asked,
    credentials,
    beBusy: (times: number) => (busy = times),
    tokens: () => tokens,
    takeBack: () => (good = "another"),
  };
}

test("a token is asked for once, and kept until it is over or taken back", async () => {
  // As the server has it: one way out for all that ask.
  const { ctx, question } = asking({ limit: 1 });
  const read = (spec: object) => gcpCloudLogging.read(ctx, specOf(gcpCloudLogging, spec), question);
  const { spec, tokens, takeBack } = await startLogging();
  const several = await Promise.all([read(spec), read(spec), read(spec)]);
  expect(several.map(({ lines }) => lines.length)).toEqual([1, 1, 1]);
  await read(spec);
  expect(tokens()).toBe(1);
  takeBack();
  expect((await read(spec)).lines).toHaveLength(1);
  expect(tokens()).toBe(2);
  const short = await startLogging({ lasting: 0 });
  await read(short.spec);
  await read(short.spec);
  expect(short.tokens()).toBe(2);
});

test("entries with all digits of their moment and their labels", async () => {
  const { spec } = await startLogging();
  const { lines } = await askBackend(gcpCloudLogging, spec, { limit: 5, direction: "forward" });
  expect(lines[0]).toEqual({
    id: expect.stringContaining("i0") as string,
    timestamp: "2026-06-15T10:00:00.000Z",
    message: "ERROR line 0",
    level: "error",
    labels: {
      logName: "projects/shop/logs/stdout",
      "resource.type": "k8s_container",
      "resource.labels.pod_name": "pod-0",
    },
  });
  expect(lines.slice(1)).toMatchObject([
    {
      message: "line 1",
      level: "info",
      labels: { severity: "INFO", "jsonPayload.user.id": "1", "jsonPayload.app.name": "Shop" },
    },
    { message: "line 2", level: "warn", labels: { "jsonPayload.level": "warn" } },
    {
      message: '{"methodName":"storage.get","status":{"code":3}}',
      level: "info",
      labels: { "protoPayload.methodName": "storage.get" },
    },
    { message: "line 4", level: "fatal", labels: { "labels.k8s-pod/app": "web" } },
  ]);
  const back = await askBackend(gcpCloudLogging, spec, { limit: 1 });
  expect(back.lines[0]!.timestamp).toBe("2026-06-15T10:03:19.000001393Z");
});

test.each(["backward", "forward"] as const)(
  "pages %s lead through all entries once, through empty pages and those of one moment",
  async (direction) => {
    const { spec, asked } = await startLogging({ mostOfPage: 20 });
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const options: AskOptions = { direction, limit: 133, ...(cursor && { cursor }) };
      const page = await askBackend(gcpCloudLogging, spec, options);
      ids.push(...page.lines.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect([ids.length, new Set(ids).size]).toEqual([1000, 1000]);
    expect(asked.some(({ pageToken }) => pageToken === "21")).toBe(true);
  },
  30_000,
);

test("a search is asked as a filter, and what that lets through is looked at here", async () => {
  const { spec, asked } = await startLogging();
  const found = async (query: string, options: AskOptions = {}) =>
    (await askBackend(gcpCloudLogging, spec, { query, limit: 3, ...options })).lines.map(
      ({ message }) => message,
    );
  expect(await found('"needle" "(1)"')).toEqual(['a "Needle" (1)']);
  expect(await found("line -message=~ERROR level=error", { limit: 2 })).toEqual([
    "line 999",
    "line 994",
  ]);
  expect(await found("level=fatal")).toEqual(["line 4"]);
  expect(await found("-level>=info")).toEqual(['a "Needle" (1)']);
  expect(await found("level=warn", { limit: 1 })).toEqual(["line 997"]);
  expect(await found("storage.get", { limit: 1 })).toEqual([
    '{"methodName":"storage.get","status":{"code":998}}',
  ]);
  // Values are looked through, names of fields are not.
  expect(await found('"status"', { limit: 1 })).toEqual([]);
  expect(await found('"code\\":13}"')).toEqual([
    '{"methodName":"storage.get","status":{"code":13}}',
  ]);
  // It compares in any case; a label here is exactly what is asked for.
  expect(await found("labels.k8s-pod/app=web", { limit: 1 })).toEqual(["line 994"]);
  expect(await found("labels.k8s-pod/app=Web,x", { limit: 1 })).toEqual(["line 999"]);
  expect(await found("-labels.k8s-pod/app=web httpRequest.status=500", { limit: 1 })).toEqual([
    "line 999",
  ]);
  expect(await found("jsonPayload.user.id=501")).toEqual(["line 501"]);
  expect(await found("jsonPayload.user.id=~^99", { limit: 2 })).toEqual(["line 996", "line 991"]);
  expect(await found("jsonPayload.app.name=Shop", { limit: 1 })).toEqual(["line 996"]);
  expect(await found("resource.labels.pod_name=~0$ logName=~stdout$", { limit: 1 })).toEqual([
    "line 996",
  ]);
  expect(await found("", { labels: { "labels.k8s-pod/app": "web" }, limit: 1 })).toEqual([
    "line 994",
  ]);
  expect(await found("app=x")).toEqual([]);
  expect(asked.at(-1)!.filter).not.toContain("app");
});

test("what is asked as a filter", () => {
  const of = (query: string) => loggingConditions(parseLogSearch(query).terms);
  expect(of("level=error -level=debug,fatal")).toEqual([
    'severity=("ERROR" OR "DEFAULT")',
    'NOT severity=("DEBUG" OR "CRITICAL" OR "ALERT" OR "EMERGENCY")',
  ]);
  expect(of('-x labels.a/b="c\\"d" -jsonPayload.a=b.c jsonPayload.a.b=1')).toEqual([
    'NOT (textPayload:"x" OR jsonPayload.message:"x")',
    String.raw`labels."a/b"="c\"d"`,
    String.raw`NOT jsonPayload.a=~"^(?:b\\.c)$"`,
    '(jsonPayload.a.b="1" OR jsonPayload."a.b"="1")',
  ]);
  expect(of('severity=INFO a.b=c labels.a="" httpRequest.status=~5')).toEqual([]);
});

test("the filter of a document, whose lines, and what cannot be read", async () => {
  const { spec, asked } = await startLogging();
  const ask = (more: object, options: AskOptions = {}) =>
    askBackend(gcpCloudLogging, { ...spec, ...more }, { limit: 1, ...options });
  const filter = 'httpRequest.status=500 OR jsonPayload.user.id="1" -- all';
  expect((await ask({ filter }, { direction: "forward" })).lines[0]!.message).toBe("line 1");
  expect(asked.at(-1)!.resourceNames).toEqual(["projects/shop"]);
  await ask({ resourceNames: "projects/shop" });
  await expect(ask({ project: "other" })).rejects.toThrow(
    /does not allow it with these credentials \(403\): Permission denied/,
  );
  await expect(ask({ filter: "colour=red" })).rejects.toThrow(
    "Cloud Logging cannot read the filter: Unparseable filter: Field not found: 'colour'",
  );
  await expect(ask({ credentials: undefined })).rejects.toThrow("project is missing");
  await expect(ask({}, { cursor: "made-up" })).rejects.toThrow("no cursor");
});

test("who asks, and throttling", async () => {
  const { url, spec, credentials, beBusy } = await startLogging();
  const ask = (more: object) => askBackend(gcpCloudLogging, { ...spec, ...more }, { limit: 1 });
  beBusy(2);
  expect((await ask({})).lines).toHaveLength(1);
  await expect(ask({ credentials: undefined, project: "shop" })).rejects.toThrow(
    "Cloud Logging wants credentials (401)",
  );
  const wrong = ask({ credentials: { value: credentials(strangers) } });
  await expect(wrong).rejects.toThrow("gave no token for the Google key (invalid_grant)");
  await expect(wrong).rejects.not.toThrow("PRIVATE");
  await expect(ask({ credentials: { value: "nonsense" } })).rejects.toThrow(
    "not the JSON of a Google key",
  );
  await expect(ask({ endpoint: `${url}/elsewhere` })).rejects.toThrow("(404)");
  beBusy(100);
  await expect(ask({})).rejects.toThrow(/gets too many requests \(429\).*Quota exceeded/);
});

describe("a server that is none", () => {
  itSurvivesAnyServer((endpoint, options) =>
    askBackend(gcpCloudLogging, { endpoint, project: "shop" }, options),
  );

  test("one that gives the same page again and again", async () => {
    const { url } = await serve((_request, response) =>
      response.end('{"entries":[],"nextPageToken":"a"}'),
    );
    await expect(askBackend(gcpCloudLogging, { endpoint: url, project: "shop" })).rejects.toThrow(
      "the same page of entries again",
    );
  });

  test("entries that are none are left out", async () => {
    const { url } = await serve((_request, response) =>
      response.end('{"entries":[7,{},{"timestamp":"soon"},{"timestamp":"2026-06-15T10:00:00Z"}]}'),
    );
    const { lines } = await askBackend(gcpCloudLogging, { endpoint: url, project: "shop" });
    expect(lines.map(({ message }) => message)).toEqual(["{}"]);
  });
});
