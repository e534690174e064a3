import type { IncomingMessage, ServerResponse } from "node:http";
import { serve } from "#platform/outbound/testing/serve.ts";

/** A stand-in of the REST API of Azure DevOps (7.0), written from its public documentation. */

export interface GivenBuild {
  id: number;
  definition: number;
  status?: string;
  result?: string;
  queueTime: string;
  startTime?: string;
  finishTime?: string;
  sourceBranch?: string;
  uniqueName?: string;
}
export interface GivenDefinition {
  id: number;
  name: string;
  queueStatus?: string;
  variables?: Record<string, object>;
}
export interface GivenProject {
  definitions: GivenDefinition[];
  builds: GivenBuild[];
  /** As the API tells them. */
  releaseDefinitions?: object[];
  releases?: { createdOn: string }[];
  repositories?: object[];
}

export interface DevOpsStandIn {
  url: string;
  projects: Record<string, GivenProject>;
  /** Entries of the audit log, newest first. */
  audit: { timestamp: string }[];
  asked: { path: string; query: URLSearchParams }[];
  /** Answers in the place of the API; true when it has. */
  instead?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export const devOpsToken = "sesame-secret-token";

/** @param projects of the organization `shop`; a page holds three rows, whatever is asked for */
export async function startDevOps(projects: Record<string, GivenProject>): Promise<DevOpsStandIn> {
  const devops: DevOpsStandIn = { url: "", projects, audit: [], asked: [] };
  const { url } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://a");
    devops.asked.push({ path: pathname, query: searchParams });
    if (devops.instead?.(request, response)) return;
    const end = (code: number, json: unknown) =>
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(json));
    const basic = `Basic ${Buffer.from(`:${devOpsToken}`).toString("base64")}`;
    // As the cloud: a page to sign in, which is no error.
    if (request.headers.authorization !== basic)
      return response.writeHead(203, { "content-type": "text/html" }).end("<html>Sign in</html>");
    if (pathname === "/shop/_apis/audit/auditlog") {
      const [from, to] = ["startTime", "endTime"].map((key) => searchParams.get(key) ?? "");
      const entries = devops.audit.filter(
        ({ timestamp }) => timestamp >= from! && timestamp <= to!,
      );
      const first = Number(searchParams.get("continuationToken") ?? 0);
      return end(200, {
        decoratedAuditLogEntries: entries.slice(first, first + 2),
        hasMore: first + 2 < entries.length,
        continuationToken: String(first + 2),
      });
    }
    if (searchParams.get("api-version") !== "7.0") return end(400, { message: "VS700001: no" });
    const page = (all: readonly object[]) => {
      const from = Number(searchParams.get("continuationToken") ?? 0);
      const size = Math.min(3, Number(searchParams.get("$top")));
      if (from + size < all.length)
        response.setHeader("x-ms-continuationtoken", String(from + size));
      const value = all.slice(from, from + size);
      return end(200, { count: value.length, value });
    };
    if (pathname === "/shop/_apis/projects")
      return page(
        Object.keys(devops.projects).map((name, id) => ({
          id: String(id),
          name,
          state: "wellFormed",
        })),
      );
    const [, name = "", what] =
      /^\/shop\/([^/]+)\/_apis\/(build\/definitions|build\/builds|release\/definitions|release\/releases|git\/repositories)$/.exec(
        pathname,
      ) ?? [];
    const project = devops.projects[decodeURIComponent(name)];
    if (!project || what === undefined)
      return end(404, {
        $id: "1",
        message: `TF200016: The following project does not exist: ${name}.`,
        typeKey: "ProjectDoesNotExistWithNameException",
      });
    if (what === "release/definitions") return page(project.releaseDefinitions ?? []);
    if (what === "release/releases")
      return page(
        (project.releases ?? []).filter(
          ({ createdOn }) => createdOn >= (searchParams.get("minCreatedTime") ?? ""),
        ),
      );
    if (what === "git/repositories") {
      const value = project.repositories ?? [];
      return end(200, { count: value.length, value });
    }
    if (what === "build/definitions")
      return page(
        project.definitions.map((one) => definitionOf(decodeURIComponent(name), one, project)),
      );
    const ids = searchParams.get("definitions")?.split(",");
    return page(
      project.builds
        .filter(({ definition }) => ids?.includes(String(definition)) ?? true)
        .filter(({ queueTime }) => queueTime >= (searchParams.get("minTime") ?? ""))
        .toSorted((one, other) => other.queueTime.localeCompare(one.queueTime))
        .map(buildOf),
    );
  });
  devops.url = url;
  return devops;
}

function definitionOf(
  project: string,
  { id, name, queueStatus = "enabled", variables = {} }: GivenDefinition,
  { builds }: GivenProject,
) {
  const own = builds
    .filter(({ definition }) => definition === id)
    .toSorted((one, other) => other.id - one.id);
  const done = own.find(({ status = "completed" }) => status === "completed");
  return {
    _links: { web: { href: `https://dev.azure.com/shop/_build/definition?definitionId=${id}` } },
    id,
    name,
    path: "\\apps",
    type: "build",
    queueStatus,
    revision: 4,
    createdDate: "2025-01-01T08:00:00.1Z",
    variables,
    process: { yamlFilename: "/azure-pipelines.yml", type: 2 },
    repository: {
      id: "r1",
      type: "TfsGit",
      name: "shop",
      defaultBranch: "refs/heads/main",
      properties: { apiUrl: "https://dev.azure.com/x" },
    },
    authoredBy: { displayName: "Ann", uniqueName: "ann@example.org", imageUrl: "https://x" },
    // Times of it change with whatever happens in the project.
    project: { id: "1", name: project, revision: builds.length, lastUpdateTime: new Date() },
    ...(own[0] && { latestBuild: buildOf(own[0]) }),
    ...(done && { latestCompletedBuild: buildOf(done) }),
  };
}

const buildOf = ({
  id,
  definition,
  status = "completed",
  result = "succeeded",
  queueTime,
  startTime = queueTime,
  finishTime = startTime,
  sourceBranch = "refs/heads/main",
  uniqueName = "ann@example.org",
}: GivenBuild) => ({
  _links: { web: { href: `https://dev.azure.com/shop/_build/results?buildId=${id}` } },
  id,
  buildNumber: `2026.${id}`,
  status,
  ...(status === "completed" && { result, finishTime }),
  queueTime,
  startTime,
  definition: { id: definition },
  reason: "individualCI",
  sourceBranch,
  sourceVersion: String(id).padStart(40, "0"),
  triggerInfo: { "ci.message": `Mend ${id}` },
  requestedFor: { displayName: "Ann", uniqueName },
  requestedBy: { displayName: "Microsoft.VisualStudio.Services.TFS", uniqueName: "system" },
});
