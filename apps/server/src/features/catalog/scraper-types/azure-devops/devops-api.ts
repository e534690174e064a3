import type { AzureDevopsScraper } from "@mainstay/contract";
import { ApiRefusal, below, type JsonAnswer } from "#platform/outbound/http/ask-json.ts";
import { askPatiently, Patience } from "#platform/outbound/http/ask-patiently.ts";
import { asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import { waitingMs } from "#platform/outbound/http/waiting-time.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import type { Untold } from "../../scraping/scraped.ts";
import type { ScrapeInput } from "../scraper-type.ts";

const cloud = "https://dev.azure.com";
export const pipelineType = "AzureDevops::Pipeline";
export const releaseType = "AzureDevops::Release";
export const repositoryType = "AzureDevops::Repository";
export const userType = "AzureDevops::User";
export const groupType = "AzureDevops::Group";
export const organizationType = "AzureDevops::Organization";
/** Servers of 2022 and the cloud know it. */
const apiVersion = "7.0";
/** Pages that have nothing left after the server's own filters come one after the other; without an end they are a fault. */
const mostEmptyPages = 100;

export type Row = Readonly<Record<string, unknown>>;

/** Parts of the cloud that have hosts of their own; a server of one's own has all of them in one place. */
type Host = "vsrm" | "vssps" | "auditservice";

export interface DevOps {
  organization: string;
  /** One answer about the whole organization. */
  one(
    path: string,
    options: { query: [string, string][]; host?: Host; version?: string },
  ): Promise<Row>;
  /** All rows of a list, or its first ones where there are more; in one page where no size is said. */
  rows(
    project: string | undefined,
    path: string,
    options: {
      query: [string, string][];
      size?: number;
      most: number;
      host?: Host;
      version?: string;
    },
  ): Promise<{ rows: Row[]; isCut: boolean }>;
  patience: Patience;
}

export function openDevOps({ spec, signal, connector }: ScrapeInput<AzureDevopsScraper>): DevOps {
  const token = spec.personalAccessToken?.value;
  const { organization } = spec;
  if (!token)
    throw new Error("Azure DevOps needs a personalAccessToken, or a connection with one.");
  if (!organization) throw new Error("Azure DevOps needs an organization.");
  const connection = readConnection({ url: spec.url ?? cloud });
  const patience = new Patience();
  const ask = async (
    path: string,
    {
      query,
      host,
      version = apiVersion,
    }: { query: [string, string][]; host?: Host | undefined; version?: string },
  ): Promise<JsonAnswer> => {
    const base = new URL(connection.url);
    if (host !== undefined && base.origin === cloud) base.hostname = `${host}.${base.hostname}`;
    try {
      const answer = await askPatiently(
        {
          ...connection,
          url: below(base, path, [["api-version", version], ...query]),
          auth: { kind: "basic", username: "", password: token },
          // To a page to sign in.
          maxRedirects: 0,
        },
        { signal, connector, what: "Azure DevOps", patience },
      );
      // It answers late and asks for a pause before it refuses. Source: Microsoft's page on rate limits.
      const pauseMs = waitingMs(answer.headers);
      if (pauseMs !== undefined) await patience.wait(pauseMs, signal);
      return answer;
    } catch (error) {
      if (error instanceof ApiRefusal && error.code === 302)
        throw new ApiRefusal(
          "Azure DevOps did not accept the credentials: it leads to a page to sign in (302).",
          302,
        );
      throw error;
    }
  };
  const pathOf = (project: string | undefined, path: string) => {
    const parts = [organization, ...(project === undefined ? [] : [project])];
    return `/${parts.map(encodeURIComponent).join("/")}/_apis/${path}`;
  };
  return {
    organization,
    async one(path, options) {
      return asObject((await ask(pathOf(undefined, path), options)).json);
    },
    async rows(project, path, { query, size, most: enough, host, version }) {
      const whole = pathOf(project, path);
      const rows: Row[] = [];
      let next: string | undefined;
      let empty = 0;
      do {
        const { json, headers } = await ask(whole, {
          query: [
            ...query,
            ...(size === undefined ? [] : [["$top", String(size)] as [string, string]]),
            ...(next === undefined ? [] : [["continuationToken", next] as [string, string]]),
          ],
          host,
          ...(version !== undefined && { version }),
        });
        const { value } = asObject(json);
        if (!Array.isArray(value)) throw new Error("What answered is no Azure DevOps.");
        rows.push(...value.map(asObject));
        const token = headers["x-ms-continuationtoken"];
        if (token !== undefined && token === next)
          throw new Error(`Azure DevOps gives the same page of ${path} again and again.`);
        empty = value.length > 0 ? 0 : empty + 1;
        if (empty > mostEmptyPages)
          throw new Error(`Azure DevOps gives page after page of ${path} without anything on it.`);
        next = token;
      } while (next !== undefined && rows.length < enough);
      return { rows: rows.slice(0, enough), isCut: next !== undefined || rows.length > enough };
    },
    patience,
  };
}

export interface Project {
  organization: string;
  name: string;
  id: string;
}

export const organizationId = (organization: string): string => `azuredevops://${organization}`;

/** Source: the reference's ids. */
export const idOf = (
  { organization, name }: Pick<Project, "organization" | "name">,
  noun: "pipeline" | "release" | "repository",
  id: unknown,
): string => `${organizationId(organization)}/${name}/${noun}/${asPlain(id)}`;

export const nameOf = (identity: unknown): string | undefined =>
  asText(asObject(identity).uniqueName) ?? asText(asObject(identity).displayName);

/** Items of one type that may not all have been seen: of a project, or of the whole organization. */
export const untold = (
  type: string,
  { organization, name }: { organization: string; name?: string },
): Required<Untold> => ({
  unseen: [{ type, tags: { organization, ...(name !== undefined && { project: name }) } }],
  unjudged: [],
});
