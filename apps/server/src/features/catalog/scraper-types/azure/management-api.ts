import type { AzureScraper } from "@mainstay/contract";
import { below } from "#platform/outbound/http/ask-json.ts";
import { askPatiently, Patience } from "#platform/outbound/http/ask-patiently.ts";
import type { HttpAuth } from "#platform/outbound/http/authorization.ts";
import { asObject, asText } from "#platform/outbound/http/read-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import type { ScrapeInput } from "../scraper-type.ts";

const publicCloud = {
  endpoint: "https://management.azure.com",
  login: "https://login.microsoftonline.com",
};
/** Pages of one list. */
const mostPages = 1000;

export type Row = Readonly<Record<string, unknown>>;

/** Azure's management API, as the application that a document names. */
export interface ManagementApi {
  /** One object. */
  one(path: string, version: string): Promise<Row>;
  /** A list, page by page. */
  pages(path: string, version: string, query?: [string, string][]): AsyncIterable<Row[]>;
  patience: Patience;
}

export function openManagement(input: ScrapeInput<AzureScraper>): ManagementApi {
  const { url: base } = readConnection({ url: input.spec.endpoint ?? publicCloud.endpoint });
  const patience = new Patience();
  const ask = askAs(input, base, patience);
  return {
    one: (path, version) => ask(below(base, path, [["api-version", version]])),
    pages: (path, version, query = []) =>
      pagesFrom(below(base, path, [["api-version", version], ...query]), {
        ask,
        base,
        nextKey: "nextLink",
        what: "management API of Azure",
      }),
    patience,
  };
}

type Ask = (url: URL) => Promise<Row>;

/** Asks an API of Azure as the application that a document names. @throws Error when it names none */
export function askAs(
  { spec, signal, connector }: ScrapeInput<AzureScraper>,
  base: URL,
  patience: Patience,
): Ask {
  const { tenantID, clientID, clientSecret } = spec;
  const missing = [
    !tenantID && "tenantID",
    !clientID?.value && "clientID",
    !clientSecret?.value && "clientSecret",
  ].filter(Boolean);
  if (missing.length > 0)
    throw new Error(`Azure needs ${missing.join(", ")}, or a connection with it.`);
  const { url: login } = readConnection({ url: spec.loginEndpoint ?? publicCloud.login });
  const auth: HttpAuth = {
    kind: "oauth2",
    tokenUrl: below(login, `/${encodeURIComponent(tenantID!)}/oauth2/v2.0/token`),
    clientId: clientID!.value!,
    clientSecret: clientSecret!.value!,
    // Of the same cloud as what is asked.
    scopes: [`${base.origin}/.default`],
    params: {},
  };
  return async (url) => {
    const { json } = await askPatiently(
      { url, auth, maxRedirects: 0, mostBody: 32 * 1024 * 1024 },
      { signal, connector, what: "Azure", patience },
    );
    return asObject(json);
  };
}

/** A list, page by page; each names the next. */
export async function* pagesFrom(
  first: URL,
  { ask, base, nextKey, what }: { ask: Ask; base: URL; nextKey: string; what: string },
): AsyncGenerator<Row[]> {
  let url = first;
  const asked = new Set([first.href]);
  const path = first.pathname;
  for (let page = 1; ; page += 1) {
    const { value, [nextKey]: nextLink } = await ask(url);
    if (!Array.isArray(value)) throw new Error(`What answered is no ${what}.`);
    yield value.map(asObject);
    const next = asText(nextLink);
    if (next === undefined) return;
    const following = URL.canParse(next, base.href) ? new URL(next, base) : undefined;
    // The token goes nowhere else.
    if (following?.origin !== base.origin)
      throw new Error(`The next page of ${path} is on another server.`);
    if (asked.has(following.href) || page >= mostPages)
      throw new Error(`Azure gives pages of ${path} without end.`);
    asked.add(following.href);
    url = following;
  }
}

/** All rows of a list. */
export async function allRows(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}
