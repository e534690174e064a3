import type { AzureDevopsScraper } from "@mainstay/contract";
import { asPlain, asText } from "#platform/outbound/http/read-json.ts";
import type { Found, ScrapedItem } from "../../scraping/scraped.ts";
import { meantBy, pick, withoutNulls } from "../api/scraped-api.ts";
import { type DevOps, idOf, type Project, repositoryType } from "./devops-api.ts";
import type { Permissions } from "./permissions.ts";

/** Repositories of Git of a project. */
export async function* readRepositories(
  project: Project,
  spec: AzureDevopsScraper,
  { devops, permissions }: { devops: DevOps; permissions: Permissions | undefined },
): AsyncGenerator<Found> {
  // The list has no pages.
  const { rows } = await devops.rows(project.name, "git/repositories", {
    query: [],
    most: 20_000,
  });
  const isMeant = meantBy(spec.repositories);
  const items: { item: ScrapedItem; secured: { id: string } }[] = [];
  for (const row of rows) {
    const [id, name] = [asPlain(row.id), asPlain(row.name)];
    if (id === "" || !isMeant(name)) continue;
    const page = asText(row.webUrl);
    const isOff = row.isDisabled === true;
    items.push({
      secured: { id },
      item: {
        externalId: idOf(project, "repository", id),
        aliases: [id],
        type: repositoryType,
        configClass: "Repository",
        name,
        config: withoutNulls({
          ...pick(row, [
            "id",
            "name",
            "defaultBranch",
            "remoteUrl",
            "sshUrl",
            "isDisabled",
            "isFork",
            "isInMaintenance",
          ]),
          organization: project.organization,
          project: project.name,
        }),
        status: isOff ? "Disabled" : "Enabled",
        health: isOff ? "unknown" : "healthy",
        labels: {},
        tags: { organization: project.organization, project: project.name },
        properties: [
          ...(page
            ? [{ name: "Source", links: [{ type: "source", url: page, text: "Azure DevOps" }] }]
            : []),
          // It moves all the time, so it is no part of what is configured.
          ...(typeof row.size === "number"
            ? [{ name: "size", value: row.size, unit: "bytes" }]
            : []),
        ],
        parents: [],
        relations: [],
      },
    });
  }
  if (permissions) yield* permissions.of(project, "repository", items);
  else for (const { item } of items) yield { kind: "item", item };
}
