import type { AzureScraper } from "@mainstay/contract";
import { below } from "#platform/outbound/http/ask-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import type { ScrapeInput } from "../scraper-type.ts";
import { askAs, type ManagementApi, pagesFrom, type Row } from "./management-api.ts";

/** Microsoft Graph of the clouds, by where these are managed. */
const clouds: Readonly<Record<string, string>> = {
  "management.azure.com": "https://graph.microsoft.com",
  "management.chinacloudapi.cn": "https://microsoftgraph.chinacloudapi.cn",
  "management.usgovcloudapi.net": "https://graph.microsoft.us",
};

/** The directory of a tenant, as Microsoft Graph tells it (1.0). */
export interface GraphApi {
  /** A list, page by page. */
  pages(path: string, query?: [string, string][]): AsyncIterable<Row[]>;
}

/** @throws Error where it is not known where the cloud has it */
export function openGraph(
  input: ScrapeInput<AzureScraper>,
  { patience }: Pick<ManagementApi, "patience">,
): GraphApi {
  const { endpoint, graphEndpoint } = input.spec;
  const host = endpoint ? readConnection({ url: endpoint }).url.hostname : "management.azure.com";
  const address = graphEndpoint ?? clouds[host];
  if (address === undefined)
    throw new Error(`entra: say where Microsoft Graph of ${host} is (graphEndpoint).`);
  const { url: base } = readConnection({ url: address });
  const ask = askAs(input, base, patience);
  return {
    pages: (path, query = []) =>
      pagesFrom(below(base, `/v1.0${path}`, [...query, ["$top", "999"]]), {
        ask,
        base,
        nextKey: "@odata.nextLink",
        what: "Microsoft Graph",
      }),
  };
}
