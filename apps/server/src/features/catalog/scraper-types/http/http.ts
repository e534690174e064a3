import { setTimeout as delay } from "node:timers/promises";
import { type HttpScraper, parseDuration } from "@mainstay/contract";
import { type Value, valueAsJson } from "@mainstay/scripting";
import { exchange, type Exchange } from "#platform/outbound/http/exchange.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import type { ConnectionFields } from "#platform/outbound/http/read-request.ts";
import type { Json, JsonObject } from "../../changes/json-patch.ts";
import { isObject } from "../../changes/json-patch.ts";
import { itemScripts, ScrapeScriptMistake } from "../../scraping/item-scripts.ts";
import type { Found } from "../../scraping/scraped.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";

/** Bytes of one answer, pages of one scrape, and items of all pages that are joined. */
const mostBody = 64 * 1024 * 1024;
const mostPages = 10_000;
const mostJoined = 500_000;

interface Page {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

interface Answer {
  content: Json;
  headers: Record<string, string>;
  status: number;
  url: string;
}

async function* scrape(input: ScrapeInput<HttpScraper>): AsyncIterable<Found> {
  const { spec, signal } = input;
  const { pagination } = spec;
  let page: Page | undefined = {
    method: spec.method ?? "GET",
    url: spec.url ?? "",
    headers: {},
    ...(spec.body !== undefined && { body: spec.body }),
  };
  const most = pagination?.maxPages || mostPages;
  let joined: Json[] = [];
  let first: string | undefined;
  let pages = 0;
  let isCut = false;
  while (page) {
    const answer: Answer = await ask(page, input);
    pages += 1;
    const source = answer.url;
    first ??= source;
    if (!pagination || pagination.perPage)
      yield { kind: "content", read: { content: answer.content, source } };
    else joined = await join(joined, answer, input);
    if (!pagination) break;
    const next: Page | undefined = await nextPage(answer, page, input);
    if (next && pages >= most) {
      isCut = !pagination.maxPages;
      break;
    }
    page = next;
    if (page && pagination.delay)
      await delay(parseDuration(pagination.delay), undefined, { signal });
  }
  for (const content of joined)
    yield { kind: "content", read: { content, ...(first !== undefined && { source: first }) } };
  if (isCut)
    yield {
      kind: "failure",
      message: `There are more than ${mostPages} pages; the first ones were read.`,
    };
}

async function ask(
  page: Page,
  { spec, signal, connector }: ScrapeInput<HttpScraper>,
): Promise<Answer> {
  const fields: ConnectionFields = { ...spec, url: page.url };
  const connection = await openConnection(fields, { signal, connector });
  const found = await exchange(
    {
      ...connection,
      method: page.method,
      headers: { ...connection.headers, ...page.headers },
      ...(page.body !== undefined && { body: page.body }),
      mostBody,
    },
    { signal, connector },
  );
  const { expectedStatus } = spec;
  if (!isExpected(found.code, expectedStatus))
    throw new Error(
      `${page.url} answered ${found.code}${expectedStatus ? `, ${expectedStatus.join(" or ")} wanted` : ""}: ${excerptOf(found)}`,
    );
  if (found.isCut)
    throw new Error(`${page.url} answered with more than ${mostBody} bytes; nothing was read.`);
  return {
    content: contentOf(found, { format: spec.format, address: page.url }),
    headers: found.headers,
    status: found.code,
    url: found.address,
  };
}

const excerptOf = ({ body }: Exchange) =>
  body.subarray(0, 300).toString("utf8").replaceAll(/\s+/g, " ").trim() || "nothing more";

/** `200`, `2xx` or `200-299`; any of 2xx when nothing is said. */
function isExpected(code: number, expected: readonly (string | number)[] | undefined): boolean {
  if (!expected?.length) return code >= 200 && code < 300;
  return expected.some((one) => {
    const text = String(one).toLowerCase();
    const [, from, to = from] = /^(\d{3})(?:-(\d{3}))?$/.exec(text) ?? [];
    return from === undefined
      ? text[0] === String(code)[0]
      : code >= Number(from) && code <= Number(to);
  });
}

/**
 * Text where the document says how it is to be read, or where it is no JSON; members that are null say that there is
 * nothing (engine facts, 21).
 * @throws Error when it is half an answer: taken for a text, it would tell of nothing that there is
 */
function contentOf(
  { body, headers }: Exchange,
  { format, address }: { format: string | undefined; address: string },
): Json {
  const text = body.toString("utf8");
  if (format !== undefined && format !== "json") return text;
  try {
    return JSON.parse(text, function withoutNulls(this: unknown, _key, value: Json) {
      return value === null && !Array.isArray(this) ? undefined : value;
    }) as Json;
  } catch (error) {
    if (format === "json" || isJson.test(headers["content-type"] ?? "") || beginsAsJson(text))
      throw new Error(`${address} answered with what is no JSON: ${(error as Error).message}`, {
        cause: error,
      });
    return { content: text };
  }
}

const isJson = /[/+]json\b/i;

/** As one value; of several, one in each line, the first line is whole. */
function beginsAsJson(text: string): boolean {
  if (!/^\s*(\{\s*["}]|\[\s*[[{"\]])/.test(text)) return false;
  try {
    JSON.parse(text.trimStart().split("\n", 1)[0]!);
    return false;
  } catch {
    return true;
  }
}

const contextOf = ({ content, headers, status, url }: Answer): Record<string, Value> => ({
  body: content,
  headers,
  status,
  url,
});

async function evaluated(
  name: string,
  text: string,
  context: Record<string, Value>,
  { evaluator }: ScrapeInput<HttpScraper>,
): Promise<Json> {
  const { value } = await itemScripts(evaluator).evaluate({
    name: `pagination.${name}`,
    language: "cel",
    text,
    context,
  });
  return JSON.parse(valueAsJson(value)) as Json;
}

async function join(all: Json[], answer: Answer, input: ScrapeInput<HttpScraper>): Promise<Json[]> {
  const { reduceExpr } = input.spec.pagination!;
  const page = answer.content;
  const found: Json = reduceExpr
    ? await evaluated(
        "reduceExpr",
        reduceExpr,
        { ...contextOf(answer), acc: all, page: page },
        input,
      )
    : [...all, ...(Array.isArray(page) ? (page as readonly Json[]) : [page])];
  if (!Array.isArray(found)) throw new ScrapeScriptMistake("pagination.reduceExpr: gives no list.");
  if (found.length > mostJoined)
    throw new Error(`The pages hold more than ${mostJoined} items together; use perPage.`);
  return found as Json[];
}

/** An address, a request, or nothing at the end. Addresses lead on from the page that names them. */
async function nextPage(
  answer: Answer,
  page: Page,
  input: ScrapeInput<HttpScraper>,
): Promise<Page | undefined> {
  const next = await evaluated(
    "nextPageExpr",
    input.spec.pagination!.nextPageExpr,
    contextOf(answer),
    input,
  );
  if (next === null || next === "" || next === false) return undefined;
  const told: JsonObject = typeof next === "string" ? { url: next } : isObject(next) ? next : {};
  if (typeof told.url !== "string" || !URL.canParse(told.url, answer.url))
    throw new ScrapeScriptMistake("pagination.nextPageExpr: gives no address.");
  const url = new URL(told.url, answer.url);
  // Credentials of the document go nowhere else.
  if (url.origin !== new URL(page.url).origin)
    throw new ScrapeScriptMistake(
      `pagination.nextPageExpr: the next page is on another server, ${url.origin}.`,
    );
  return {
    method: typeof told.method === "string" ? told.method : page.method,
    url: url.href,
    headers: isObject(told.headers)
      ? Object.fromEntries(
          Object.entries(told.headers).map(([name, value]) => [
            name,
            typeof value === "object" ? JSON.stringify(value) : String(value),
          ]),
        )
      : {},
    ...(typeof told.body === "string"
      ? { body: told.body }
      : page.body !== undefined && { body: page.body }),
  };
}

/** Answers of web addresses, page by page. */
export const httpScraper = scraperType<HttpScraper>({ type: "http", scrape });
