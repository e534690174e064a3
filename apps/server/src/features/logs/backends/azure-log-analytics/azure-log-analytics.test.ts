import { afterEach, describe, expect, test } from "vitest";
import { parseLogSearch } from "@mainstay/contract";
import { RE2JS } from "re2js";
import { asPlain } from "#platform/outbound/http/read-json.ts";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { type AskOptions, askBackend, asked, specOf, startsOf } from "../testing/ask-backend.ts";
import { itSurvivesAnyServer } from "../testing/hostile-server.ts";
import { azureLogAnalytics } from "./azure-log-analytics.ts";
import { columnsOf, conditionOf, lineColumns } from "./kql.ts";

/**
 * A stand-in for the query API of Log Analytics and for the sign-in of Entra, written from their public documentation:
 * it checks who asks, and runs the part of KQL that is sent.
 */

afterEach(closeAll);

const secret = "sesame-client-secret";
const tenant = "aaaaaaaa-0000-0000-0000-000000000000";
const workspace = "bbbbbbbb-0000-0000-0000-000000000000";

type Row = Record<string, string | number | boolean>;
const types: Record<string, string> = {
  TimeGenerated: "datetime",
  Properties: "dynamic",
  Urgent: "bool",
  SeverityLevel: "int",
};
/** In tenths of a microsecond. */
const start = BigInt(Date.parse("2026-06-15T10:00:00Z")) * 10_000n;
const timeOf = (ticks: bigint) =>
  `${new Date(Number(ticks / 10_000n)).toISOString().slice(0, 19)}.${String(ticks % 10_000_000n).padStart(7, "0")}Z`;
const ticksOf = (text: string) => {
  const [, whole = "", fraction = ""] = /^(.{19})(?:\.(\d+))?Z$/.exec(text)!;
  if (fraction.length > 7) throw new Error(`The datetime ${text} has too many digits`);
  return BigInt(Date.parse(`${whole}Z`)) * 10_000n + BigInt(fraction.padEnd(7, "0"));
};
/** 1,000 rows, five of each moment, of which two are the same. */
const shop: Row[] = Array.from({ length: 1000 }, (_, n) => ({
  TimeGenerated: timeOf(start + BigInt(Math.floor(n / 5)) * 10_000_007n),
  LogMessage:
    n % 5 > 2
      ? "the same"
      : n === 77
        ? 'a "Needle" (1)\n'
        : n % 10 === 0
          ? `ERROR line ${n}`
          : `line ${n}`,
  LogLevel: n % 5 === 1 ? "Warning" : "",
  Computer: n % 2 === 0 && n % 5 < 3 ? "web" : "db",
  Urgent: n === 12,
  Properties: JSON.stringify(n % 5 === 2 ? { user: { id: n }, "app.x": 1 } : {}),
}));
const traces: Row[] = Array.from({ length: 5 }, (_, n) => ({
  TimeGenerated: timeOf(start + BigInt(n)),
  Message: `trace ${n}`,
  SeverityLevel: n,
}));
const tables: Record<string, Row[]> = {
  Shop: shop,
  AppTraces: traces,
  Bare: [{ When: timeOf(start), Value: 7 }],
};

const strings = (list: string) =>
  [...list.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([one]) => JSON.parse(one) as string);
type Value = (row: Row) => string;
function readValue(text: string): Value {
  const column = /^tostring\(column_ifexists\(("(?:[^"\\]|\\.)*"), ""\)\)$/.exec(text);
  if (column) return (row) => String(row[JSON.parse(column[1]!) as string] ?? "");
  const inner = /^tostring\(parse_json\((tostring\(.*?\)\))\)((?:\["(?:[^"\\]|\\.)*"\])+)\)$/.exec(
    text,
  );
  if (inner) {
    const value = readValue(inner[1]!);
    return (row) => {
      let found: unknown = JSON.parse(value(row) || "null");
      for (const key of strings(inner[2]!)) found = (found as Row | null)?.[key];
      return found === undefined || found === null ? "" : asPlain(found);
    };
  }
  const extract = /^extract\(("(?:[^"\\]|\\.)*"), 1, substring\((\w+), 0, 200\)\)$/.exec(text);
  if (extract) {
    const pattern = RE2JS.compile(JSON.parse(extract[1]!) as string);
    return (row) => {
      const matcher = pattern.matcher(String(row[extract[2]!]).slice(0, 200));
      return matcher.find() ? (matcher.group(1) ?? "") : "";
    };
  }
  const coalesce = /^coalesce\((.*)\)$/s.exec(text);
  if (coalesce) {
    const values = coalesce[1]!.split(/, (?=tostring\(|extract\()/).map(readValue);
    return (row) => values.map((one) => one(row)).find((one) => one !== "") ?? "";
  }
  if (/^\w+$/.test(text)) return (row) => String(row[text]);
  throw new Error(`Query could not be parsed at '${text}'`);
}
function readCondition(text: string): (row: Row) => boolean {
  const time = /^\["(\w+)"\] >= datetime\((.*?)\) and \["\w+"\] (<=?) datetime\((.*?)\)$/.exec(
    text,
  );
  if (time) {
    const [, column = "", from = "", operator, to = ""] = time;
    const [first, last] = [ticksOf(from), ticksOf(to)];
    return (row) => {
      if (row[column] === undefined)
        throw new Error(`Failed to resolve scalar expression named '${column}'`);
      const at = ticksOf(String(row[column]));
      return at >= first && (operator === "<=" ? at <= last : at < last);
    };
  }
  const not = /^not\((.*)\)$/s.exec(text);
  if (not) {
    const test = readCondition(not[1]!);
    return (row) => !test(row);
  }
  const binary = /^(.*?) (!?)(contains|matches regex|in~?|==) (.*)$/s.exec(text);
  if (!binary) throw new Error(`Query could not be parsed at '${text}'`);
  const [, left = "", isNot, operator, right = ""] = binary;
  const value = readValue(left);
  const wanted = strings(right);
  const test: (one: string) => boolean =
    operator === "contains"
      ? (one) => one.toLowerCase().includes(wanted[0]!.toLowerCase())
      : operator === "matches regex"
        ? (one) => RE2JS.compile(wanted[0]!).matcher(one).find()
        : operator === "in~"
          ? (one) => wanted.some((other) => other.toLowerCase() === one.toLowerCase())
          : (one) => wanted.includes(one);
  return (row) => test(value(row)) !== (isNot === "!");
}

function run(query: string): Row[] {
  const [table = "", ...commands] = query
    .replaceAll(/\/\/[^\n]*/g, "")
    .split(/\s*\|\s(?=where|extend|order|take|summarize|nonsense)/);
  let rows = tables[table.trim()]!;
  if (rows === undefined)
    throw new Error(`Failed to resolve table or column expression named '${table.trim()}'`);
  for (const command of commands) {
    const [, name = "", rest = ""] = /^(\w+) (.*)$/s.exec(command.trim())!;
    if (name === "where") rows = rows.filter(readCondition(rest));
    else if (name === "extend") {
      const [, column = "", expression = ""] = /^(\w+) = (.*)$/s.exec(rest)!;
      const value = readValue(expression);
      rows = rows.map((row) => ({ ...row, [column]: value(row) }));
    } else if (name === "order") {
      const [, column = "", order] = /^by \["(\w+)"\] (asc|desc)$/.exec(rest)!;
      const sign = order === "desc" ? -1 : 1;
      rows = rows.toSorted(
        (a, b) => sign * Number(ticksOf(String(a[column])) - ticksOf(String(b[column]))),
      );
    } else if (name === "take") rows = rows.slice(0, Number(rest));
    else if (name === "summarize") {
      const [, column = "", step, origin = "", by = ""] =
        /^lines = count\(\) by slot = bin_at\(\["(\w+)"\], (\d+)ms, datetime\((.*?)\)\), (\w+)$/.exec(
          rest,
        )!;
      const [from, ticks] = [ticksOf(origin), BigInt(step!) * 10_000n];
      const counts = new Map<string, number>();
      for (const row of rows) {
        const slot = from + ((ticksOf(String(row[column])) - from) / ticks) * ticks;
        const key = JSON.stringify([timeOf(slot), row[by]]);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      rows = [...counts].map(([key, lines]) => {
        const [slot, level] = JSON.parse(key) as [string, string];
        return { slot, [by]: level, lines };
      });
    } else throw new Error(`Query could not be parsed at '${name}'`);
  }
  return rows;
}

async function startAnalytics({ partial }: { partial?: object } = {}) {
  const queries: string[] = [];
  let busy = 0;
  const { url } = await serve((request, response) => {
    const end = (code: number, body: unknown, headers = {}) =>
      response
        .writeHead(code, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(body));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      if (request.url === `/${tenant}/oauth2/v2.0/token`) {
        const form = new URLSearchParams(body);
        const basic = `Basic ${Buffer.from(`me:${secret}`).toString("base64")}`;
        const isKnown =
          request.headers.authorization === basic ||
          (form.get("client_id") === "me" && form.get("client_secret") === secret);
        return isKnown && form.get("scope") === `${url}/.default`
          ? end(200, { token_type: "Bearer", expires_in: 3599, access_token: "a.token" })
          : end(401, {
              error: "invalid_client",
              error_description: "AADSTS7000215: Invalid client secret provided.",
            });
      }
      if (request.headers.authorization !== "Bearer a.token")
        return end(401, {
          error: { code: "InvalidTokenError", message: "The provided authentication is not valid" },
        });
      if (request.url !== `/v1/workspaces/${workspace}/query` || request.method !== "POST")
        return end(403, {
          error: {
            code: "InsufficientAccessError",
            message: "The provided credentials have insufficient access",
          },
        });
      if (busy > 0) {
        busy -= 1;
        return end(
          429,
          { error: { code: "ThrottledError", message: "Too many requests" } },
          { "retry-after": "0" },
        );
      }
      const { query } = JSON.parse(body) as { query: string };
      queries.push(query);
      try {
        const rows = run(query);
        const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
        return end(200, {
          tables: [
            {
              name: "PrimaryResult",
              columns: names.map((name) => ({ name, type: types[name] ?? "string" })),
              rows: rows.map((row) => names.map((name) => row[name] ?? null)),
            },
          ],
          ...partial,
        });
      } catch (error) {
        return end(400, {
          error: {
            message: "The request had some invalid properties",
            code: "BadArgumentError",
            innererror: {
              code: "SemanticError",
              message: "A semantic error occurred.",
              innererror: { code: "SEM0100", message: (error as Error).message },
            },
          },
        });
      }
    });
  });
  const spec = {
    endpoint: url,
    loginEndpoint: url,
    tenantID: tenant,
    clientID: "me",
    clientSecret: { value: secret },
    workspaceID: workspace,
    query: "Shop",
  };
  return { url, spec, queries, beBusy: (times: number) => (busy = times) };
}

test("rows with all digits of their moment, their columns and what lies within those", async () => {
  const { spec } = await startAnalytics();
  const { lines } = await askBackend(azureLogAnalytics, spec, { limit: 5, direction: "forward" });
  expect(lines[0]).toEqual({
    id: expect.any(String) as string,
    timestamp: "2026-06-15T10:00:00.000Z",
    message: "ERROR line 0",
    level: "error",
    labels: { Computer: "web", Urgent: "false" },
  });
  expect(lines.slice(1)).toMatchObject([
    { message: "line 1", level: "warn", labels: { LogLevel: "Warning", Computer: "db" } },
    { message: "line 2", labels: { "Properties.user.id": "2", "Properties.app.x": "1" } },
    { message: "the same" },
    { message: "the same" },
  ]);
  const back = await askBackend(azureLogAnalytics, spec, { limit: 1 });
  expect(back.lines[0]!.timestamp).toBe("2026-06-15T10:03:19.000139300Z");
});

test.each(["backward", "forward"] as const)(
  "pages %s lead through all rows once, also those of one moment that are the same",
  async (direction) => {
    const { spec } = await startAnalytics();
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const options: AskOptions = { direction, limit: 133, ...(cursor && { cursor }) };
      const page = await askBackend(azureLogAnalytics, spec, options);
      ids.push(...page.lines.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect([ids.length, new Set(ids).size]).toEqual([1000, 1000]);
  },
  30_000,
);

test("a search is asked in KQL", async () => {
  const { spec, queries } = await startAnalytics();
  const found = async (query: string, more: object = {}, options: AskOptions = {}) =>
    (
      await askBackend(azureLogAnalytics, { ...spec, ...more }, { query, limit: 2, ...options })
    ).lines.map(({ message }) => message);
  expect(await found('"needle" "(1)"')).toEqual(['a "Needle" (1)']);
  expect(queries.at(-1)).toContain('\n| where mainstay_message contains "needle"\n| where');
  expect(await found("level=error")).toEqual(["ERROR line 990", "ERROR line 980"]);
  expect(await found("level=warn -99")).toEqual(["line 986", "line 981"]);
  expect(await found("line -level>=info", {}, { limit: 1 })).toEqual(["line 995"]);
  expect(await found('Computer=web message=~"^line 9.[02468]"')).toEqual(["line 996", "line 992"]);
  expect(await found("-Computer=web -message=~same line", {}, { limit: 1 })).toEqual(["line 995"]);
  expect(await found("Properties.user.id=502")).toEqual(["line 502"]);
  expect(await found("Properties.user.id=~^99")).toEqual(["line 997", "line 992"]);
  expect(await found("Urgent=true")).toEqual(["line 12"]);
  expect(await found('Nothing="" Computer=db needle')).toEqual(['a "Needle" (1)']);
  expect(await found("Nothing=x")).toEqual([]);
  expect(await found("", {}, { labels: { "Properties.user.id": "7" } })).toEqual(["line 7"]);
  expect(await found("level=fatal", { query: "AppTraces" })).toEqual(["trace 4"]);
  expect(await found("level<warn", { query: "AppTraces" })).toEqual(["trace 1", "trace 0"]);
});

test("what is asked in KQL", () => {
  const of = (query: string) => parseLogSearch(query).terms.map(conditionOf);
  expect(of(String.raw`-a="b\"c",d a.b=~\d -message=~x`)).toEqual([
    String.raw`tostring(column_ifexists("a", "")) !in ("b\"c", "d")`,
    String.raw`tostring(parse_json(tostring(column_ifexists("a", "")))["b"]) matches regex "\\d"`,
    'not(mainstay_message matches regex "x")',
  ]);
  expect(of("level=info")).toEqual([
    expect.stringMatching(/^mainstay_level in~ \("info", "information", .*"notice", "1"\)$/),
  ]);
  expect(lineColumns(columnsOf({ columns: { message: "Text" } }))[0]).toBe(
    'extend mainstay_message = tostring(column_ifexists("Text", ""))',
  );
});

test("the query of a document and its columns", async () => {
  const { spec } = await startAnalytics();
  const ask = (more: object) => askBackend(azureLogAnalytics, { ...spec, ...more }, { limit: 1 });
  const own = 'Shop | where Computer == "web" // of the shop;\n;';
  expect((await ask({ query: own })).lines[0]!.labels.Computer).toBe("web");
  const bare = await ask({ query: "Bare", columns: { timestamp: "When" } });
  expect(bare.lines).toMatchObject([{ message: '{"Value":"7"}', labels: { Value: "7" } }]);
  const named = await ask({ columns: { message: "Computer", level: "LogMessage" } });
  expect(named.lines[0]!.message).toBe("db");
  await expect(ask({ query: "Nowhere" })).rejects.toThrow(
    "Log Analytics cannot read the query: Failed to resolve table or column expression named 'Nowhere'",
  );
  await expect(ask({ query: "Bare" })).rejects.toThrow("scalar expression named 'TimeGenerated'");
});

test("counts are Azure's, by level", async () => {
  const { spec } = await startAnalytics();
  const { ctx, question } = asked({ from: "2026-06-15T10:00:00Z", to: "2026-06-15T10:04:00Z" });
  const { buckets } = await azureLogAnalytics.count!(ctx, specOf(azureLogAnalytics, spec), {
    ...question,
    step: 60_000,
  });
  expect(buckets).toEqual(
    [300, 300, 300, 100].map((n, at) => ({
      start: `2026-06-15T10:0${at}:00.000Z`,
      counts: { error: n / 10, warn: n / 5, none: n - n / 10 - n / 5 },
    })),
  );
  const later = { ...question, from: new Date(+question.from + 30_000), step: 60_000 };
  const told = await azureLogAnalytics.count!(ctx, specOf(azureLogAnalytics, spec), later);
  expect(startsOf(told.buckets)).toEqual(["10:00", "10:01", "10:02", "10:03"]);
});

test("an answer in part says so", async () => {
  const error = {
    code: "PartialError",
    message: "There were some errors when processing your query.",
    details: [
      {
        code: "EngineError",
        message: "Something went wrong",
        innererror: {
          message: "Query result set has exceeded the internal record count limit 500000",
        },
      },
    ],
  };
  const { spec } = await startAnalytics({ partial: { error } });
  const page = await askBackend(azureLogAnalytics, spec, { limit: 1 });
  expect([page.lines.length, page.notices]).toEqual([
    1,
    [
      "Log Analytics answered in part: Query result set has exceeded the internal record count limit 500000",
    ],
  ]);
});

test("who asks, and throttling", async () => {
  const { spec, beBusy } = await startAnalytics();
  const ask = (more: object) => askBackend(azureLogAnalytics, { ...spec, ...more }, { limit: 1 });
  beBusy(2);
  expect((await ask({})).lines).toHaveLength(1);
  const wrong = ask({ clientSecret: { value: "another-secret" } });
  await expect(wrong).rejects.toThrow(
    /gave no token: it answered 401 \(invalid_client: AADSTS7000215/,
  );
  await expect(wrong).rejects.not.toThrow("another-secret");
  await expect(ask({ tenantID: undefined, clientSecret: undefined })).rejects.toThrow(
    "Azure needs tenantID, clientSecret, or a connection with it.",
  );
  await expect(ask({ workspaceID: "other" })).rejects.toThrow(
    /does not allow it with these credentials \(403\): The provided credentials have insufficient access/,
  );
  await expect(askBackend(azureLogAnalytics, spec, { cursor: "made-up" })).rejects.toThrow(
    "no cursor",
  );
  beBusy(100);
  await expect(ask({})).rejects.toThrow(/gets too many requests \(429\)/);
});

describe("a server that is none", () => {
  itSurvivesAnyServer(async (endpoint, options) => {
    const { url: loginEndpoint } = await serve((_request, response) =>
      response.end('{"token_type":"Bearer","expires_in":3599,"access_token":"any"}'),
    );
    const spec = {
      tenantID: tenant,
      clientID: "me",
      clientSecret: secret,
      workspaceID: workspace,
      query: "Shop",
    };
    return askBackend(azureLogAnalytics, { ...spec, endpoint, loginEndpoint }, options);
  });

  test("rows that are none are left out", async () => {
    const { url } = await serve((request, response) =>
      response.end(
        request.url?.endsWith("/token")
          ? '{"access_token":"any"}'
          : '{"tables":[{"columns":[{"name":"TimeGenerated"},7],"rows":[7,[],["soon"],["2026-06-15T10:00:00Z","a","b"]]}]}',
      ),
    );
    const spec = {
      tenantID: tenant,
      clientID: "me",
      clientSecret: secret,
      workspaceID: workspace,
      query: "Shop",
    };
    const { lines } = await askBackend(azureLogAnalytics, {
      ...spec,
      endpoint: url,
      loginEndpoint: url,
    });
    expect(lines.map(({ timestamp }) => timestamp)).toEqual(["2026-06-15T10:00:00.000Z"]);
  });
});
