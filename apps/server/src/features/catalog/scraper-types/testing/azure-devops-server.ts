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
  releases?: { id: number; createdOn: string }[];
  /** Attempts of stages, as the API tells them; their times are compared with what is asked for. */
  deployments?: { lastModifiedOn: string }[];
  repositories?: object[];
}

export interface DevOpsStandIn {
  url: string;
  projects: Record<string, GivenProject>;
  /** Lists of permissions by namespace, identities by descriptor and groups by subject descriptor, as the API tells them. */
  security: {
    lists: Record<
      string,
      { token: string; inheritPermissions?: boolean; acesDictionary: object }[]
    >;
    identities: { descriptor: string; subjectDescriptor: string; members?: string[] }[];
    groups: { descriptor: string }[];
  };
  /** Entries of the audit log, newest first. */
  audit: { timestamp: string }[];
  asked: { path: string; query: URLSearchParams }[];
  /** Answers in the place of the API; true when it has. */
  instead?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export const devOpsToken = "sesame-secret-token";

/** @param projects of the organization `shop`; a page holds three rows, whatever is asked for */
export async function startDevOps(projects: Record<string, GivenProject>): Promise<DevOpsStandIn> {
  const devops: DevOpsStandIn = {
    url: "",
    projects,
    security: { lists: {}, identities: [], groups: [] },
    audit: [],
    asked: [],
  };
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
    if (pathname === "/shop/_apis/graph/groups") {
      const from = Number(searchParams.get("continuationToken") ?? 0);
      if (from + 2 < devops.security.groups.length)
        response.setHeader("x-ms-continuationtoken", String(from + 2));
      const value = devops.security.groups.slice(from, from + 2);
      return end(200, { count: value.length, value });
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
    const security = answerOfSecurity(devops.security, pathname, searchParams);
    if (security) return end(200, { count: security.length, value: security });
    if (pathname === "/shop/_apis/projects")
      return page(
        Object.keys(devops.projects).map((name, id) => ({
          id: `p${id}`,
          name,
          state: "wellFormed",
        })),
      );
    const [, name = "", what] =
      /^\/shop\/([^/]+)\/_apis\/(build\/definitions|build\/builds|release\/definitions|release\/releases|release\/deployments|git\/repositories)$/.exec(
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
    if (what === "release/releases") {
      const ids = searchParams.get("releaseIdFilter")?.split(",");
      return page(
        (project.releases ?? []).filter(
          ({ id, createdOn }) =>
            createdOn >= (searchParams.get("minCreatedTime") ?? "") &&
            (ids?.includes(String(id)) ?? true),
        ),
      );
    }
    if (what === "release/deployments")
      return page(
        (project.deployments ?? []).filter(
          ({ lastModifiedOn }) => lastModifiedOn >= (searchParams.get("minModifiedTime") ?? ""),
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

/** Bits as the reference of security namespaces has them; those that tests are about. */
const actions: Readonly<Record<string, readonly [number, string][]>> = {
  "33344d9c-fc72-4d6f-aba5-fa317101a7e9": [
    [1, "ViewBuilds"],
    [128, "QueueBuilds"],
    [2048, "EditBuildDefinition"],
    [16_384, "AdministerBuildPermissions"],
  ],
  "c788c23e-1b46-4162-8f5e-d7585343b5de": [
    [32, "ViewReleases"],
    [64, "QueueReleases"],
    [2048, "ManageDeployments"],
  ],
  "2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87": [
    [2, "GenericRead"],
    [4, "GenericContribute"],
    [8192, "ManagePermissions"],
  ],
};

function answerOfSecurity(
  { lists, identities }: DevOpsStandIn["security"],
  pathname: string,
  query: URLSearchParams,
): unknown[] | undefined {
  const [, what, namespace = ""] =
    /^\/shop\/_apis\/(securitynamespaces|accesscontrollists)\/([\w-]+)$/.exec(pathname) ?? [];
  if (what === "securitynamespaces")
    return [
      {
        namespaceId: namespace,
        actions: actions[namespace]?.map(([bit, name]) => ({ bit, name, namespaceId: namespace })),
      },
    ];
  if (what === "accesscontrollists") {
    // Tokens are the same in capitals and in small letters.
    const token = query.get("token")!.toLowerCase();
    const isWanted = (one: string) =>
      one === token || (query.get("recurse") === "true" && one.startsWith(`${token}/`));
    return (lists[namespace] ?? [])
      .filter((list) => isWanted(list.token.toLowerCase()))
      .map((list) => ({ inheritPermissions: true, includeExtendedInfo: false, ...list }));
  }
  if (pathname !== "/shop/_apis/identities") return undefined;
  const key = query.has("descriptors") ? "descriptor" : "subjectDescriptor";
  // Nothing in the place of whom it does not know; members only where they are asked for.
  return query
    .get(`${key}s`)!
    .split(",")
    .map((asked) => {
      const found = identities.find((one) => one[key] === asked);
      if (!found) return null;
      const { members, ...rest } = found;
      return query.get("queryMembership") === "direct" && members ? { ...rest, members } : rest;
    });
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
