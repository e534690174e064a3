import { type AzureScraper, isInMatchList, parseMatchList } from "@mainstay/contract";
import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import type { Json, JsonObject } from "../../changes/json-patch.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { Found, Relation, ScrapedItem } from "../../scraping/scraped.ts";
import { timeOf, withoutNulls } from "../api/scraped-api.ts";
import type { GraphApi } from "./graph-api.ts";
import { allRows, type Row } from "./management-api.ts";

/** The directory of a tenant: people, groups, and applications with who may use them. */

type Entra = NonNullable<AzureScraper["entra"]>;
type Part = keyof Pick<
  Entra,
  "users" | "groups" | "appRegistrations" | "enterpriseApps" | "appRoleAssignments"
>;

const types = {
  user: "Azure::User",
  group: "Azure::Group",
  registration: "Azure::AppRegistration",
  application: "Azure::EnterpriseApplication",
} as const;

/** Groups whose members are asked for, and applications whose users; each takes a request. */
const mostAsked = 2000;
/** A credential that ends sooner is a warning. */
const endsSoonMs = 30 * 86_400_000;

/** Who is asked, and of whom. */
export interface Directory {
  graph: GraphApi;
  entra: Entra;
  /** The id of the tenant. */
  tenant: string;
  now: Date;
}

/** Something of the directory that is read by itself: its items are of these types. */
export interface DirectoryPart {
  type: string;
  types: readonly string[];
  read(): AsyncIterable<Found>;
}

/** What a document wants of the directory: each list only where it selects something of it. */
export function directoryParts(directory: Directory): DirectoryPart[] {
  const { entra } = directory;
  const isWanted = (part: Part) => Boolean(entra[part]?.length);
  const part = (type: string, read: () => AsyncIterable<Found>) => ({ type, types: [type], read });
  return [
    ...(isWanted("users") ? [part(types.user, () => readUsers(directory))] : []),
    ...(isWanted("groups") ? [part(types.group, () => readGroups(directory))] : []),
    ...(isWanted("appRegistrations")
      ? [part(types.registration, () => readRegistrations(directory))]
      : []),
    ...(isWanted("enterpriseApps") || isWanted("appRoleAssignments")
      ? [part(types.application, () => readApplications(directory))]
      : []),
  ];
}

/** What a selector may say of things that are only listed; how they are kept here is nothing that they know. */
const known = ["id", "name", "types"] as const;
const ignored = new Set(["agent", "cache", "scope", "limit", "includeDeleted"]);

/** A selector says what cannot be held to. */
export class SelectorMistake extends Error {}

/** @throws SelectorMistake */
function selectedBy(entra: Entra, part: Part): (thing: { ids: string[]; name: string }) => boolean {
  const tests = (entra[part] ?? []).map((selector) => {
    const said = Object.entries(selector).filter(
      ([key, value]) => !ignored.has(key) && value !== "" && value !== null && value !== undefined,
    );
    const strange = said.find(([key]) => !known.some((one) => one === key));
    if (strange)
      throw new SelectorMistake(
        `entra.${part}: a selector says id or name (with * and !); ${strange[0]} cannot be held to here.`,
      );
    const { id, name } = selector as { id?: unknown; name?: unknown };
    const names = asPlain(name) === "" ? undefined : parseMatchList(asPlain(name));
    return (thing: { ids: string[]; name: string }) =>
      (asPlain(id) === "" || thing.ids.includes(asPlain(id))) &&
      (names === undefined || isInMatchList(names, thing.name));
  });
  return (thing) => tests.some((fits) => fits(thing));
}

const select = (...fields: string[]): [string, string][] => [["$select", fields.join(",")]];

interface Made {
  type: string;
  id: string;
  name: string;
  config: Row;
  aliases?: (string | undefined)[];
  status?: string | undefined;
  health?: ScrapedItem["health"];
  description?: string | undefined;
  relations?: Relation[];
}

function itemOf({ tenant }: Directory, made: Made): Found {
  const { type, id, name, config, aliases = [], status, health, description, relations } = made;
  return {
    kind: "item",
    item: {
      externalId: id,
      aliases: aliases.filter((one): one is string => one !== undefined && one !== id),
      type,
      configClass: type.slice("Azure::".length),
      name: name === "" ? id : name,
      config: withoutNulls(config as Json),
      ...optional("status", status),
      ...optional("health", health),
      ...optional("description", description),
      labels: {},
      tags: { tenant },
      properties: [],
      ...optional("createdAt", timeOf(config.createdDateTime)),
      parents: [],
      relations: relations ?? [],
    },
  };
}

async function* readUsers(directory: Directory): AsyncGenerator<Found> {
  const isSelected = selectedBy(directory.entra, "users");
  const fields = select(
    "id",
    "displayName",
    "givenName",
    "surname",
    "userPrincipalName",
    "mail",
    "userType",
    "accountEnabled",
    "jobTitle",
    "department",
    "createdDateTime",
  );
  for await (const page of directory.graph.pages("/users", fields))
    for (const row of page) {
      const [id, name, principal] = [row.id, row.displayName, row.userPrincipalName].map(asPlain);
      if (!id || !isSelected({ ids: [id, principal ?? ""], name: name ?? "" })) continue;
      const isOff = row.accountEnabled === false;
      yield itemOf(directory, {
        type: types.user,
        id,
        name: name ?? "",
        config: row,
        aliases: [asText(row.userPrincipalName), asText(row.mail)],
        status: isOff ? "Disabled" : "Enabled",
        health: isOff ? "unknown" : "healthy",
      });
    }
}

async function* readGroups(directory: Directory): AsyncGenerator<Found> {
  const { graph } = directory;
  const isSelected = selectedBy(directory.entra, "groups");
  const fields = select(
    "id",
    "displayName",
    "description",
    "mail",
    "mailEnabled",
    "securityEnabled",
    "groupTypes",
    "visibility",
    "createdDateTime",
  );
  let asked = 0;
  for await (const page of graph.pages("/groups", fields))
    for (const row of page) {
      const [id, name] = [row.id, row.displayName].map(asPlain);
      if (!id || !isSelected({ ids: [id], name: name ?? "" })) continue;
      asked += 1;
      const members =
        asked > mostAsked
          ? []
          : await allRows(
              graph.pages(`/groups/${encodeURIComponent(id)}/members`, select("id", "displayName")),
            );
      const relations = members.flatMap((member): Relation[] => {
        const type = memberTypes[asPlain(member["@odata.type"])];
        const externalId = asPlain(member.id);
        return type === undefined || externalId === ""
          ? []
          : [{ to: { externalId, type }, relation: `Group${type.slice("Azure::".length)}` }];
      });
      yield itemOf(directory, {
        type: types.group,
        id,
        name: name ?? "",
        config: row,
        description: asText(row.description),
        relations,
      });
    }
  if (asked > mostAsked)
    yield {
      kind: "notice",
      type: types.group,
      message: `More than ${mostAsked} groups are selected; of the others the members are not read.`,
    };
}
const memberTypes: Readonly<Record<string, string>> = {
  "#microsoft.graph.user": types.user,
  "#microsoft.graph.group": types.group,
  "#microsoft.graph.servicePrincipal": types.application,
};

async function* readRegistrations(directory: Directory): AsyncGenerator<Found> {
  const isSelected = selectedBy(directory.entra, "appRegistrations");
  for await (const page of directory.graph.pages("/applications"))
    for (const { logo: _logo, ...row } of page) {
      const [object, id, name] = [row.id, row.appId, row.displayName].map(asPlain);
      if (!id || !isSelected({ ids: [id, object ?? ""], name: name ?? "" })) continue;
      yield itemOf(directory, {
        type: types.registration,
        id,
        name: name ?? "",
        config: withoutKeys(row),
        aliases: [object],
        description: asText(row.description),
        ...stateOf(row, directory.now),
      });
    }
}

/** Whether somebody can still sign in as it, by when its credentials end. */
function stateOf(row: Row, now: Date): Pick<Made, "status" | "health"> {
  const ends = [...asList(row.passwordCredentials), ...asList(row.keyCredentials)].flatMap(
    (one) => timeOf(asObject(one).endDateTime)?.getTime() ?? [],
  );
  if (ends.length === 0) return {};
  const left = Math.max(...ends) - now.getTime();
  if (left <= 0) return { status: "Expired", health: "unhealthy" };
  return left < endsSoonMs
    ? { status: "Expiring", health: "warning" }
    : { status: "Valid", health: "healthy" };
}

/** Of credentials all but what they are made of. */
function withoutKeys(row: Row): Row {
  const bare = (value: unknown): JsonObject[] =>
    asList(value).map((one) => {
      const { key: _key, secretText: _secret, hint: _hint, ...rest } = asObject(one);
      return rest as JsonObject;
    });
  return {
    ...row,
    ...("passwordCredentials" in row && { passwordCredentials: bare(row.passwordCredentials) }),
    ...("keyCredentials" in row && { keyCredentials: bare(row.keyCredentials) }),
  };
}

const anyRole = "00000000-0000-0000-0000-000000000000";

/** Applications of the tenant itself: those of others, of which each tenant has hundreds, are left out. */
async function* readApplications(directory: Directory): AsyncGenerator<Found> {
  const { graph, tenant, entra } = directory;
  const isSelected = selectedBy(entra, "enterpriseApps");
  const isAsked = selectedBy(entra, "appRoleAssignments");
  let asked = 0;
  for await (const page of graph.pages("/servicePrincipals"))
    for (const row of page) {
      const [id, app, name] = [row.id, row.appId, row.displayName].map(asPlain);
      if (!id || asPlain(row.appOwnerOrganizationId).toLowerCase() !== tenant.toLowerCase())
        continue;
      const thing = { ids: [id, app ?? ""], name: name ?? "" };
      const hasUsers = isAsked(thing);
      if (!hasUsers && !isSelected(thing)) continue;
      if (hasUsers) asked += 1;
      const users =
        hasUsers && asked <= mostAsked
          ? await allRows(
              graph.pages(`/servicePrincipals/${encodeURIComponent(id)}/appRoleAssignedTo`),
            )
          : [];
      const isOff = row.accountEnabled === false;
      yield itemOf(directory, {
        type: types.application,
        id,
        name: name ?? "",
        config: {
          ...withoutKeys(row),
          ...(hasUsers && { appRoleAssignments: assignmentsOf(users, row) }),
        },
        aliases: [],
        description: asText(row.description),
        status: isOff ? "Disabled" : "Enabled",
        health: isOff ? "unknown" : "healthy",
        relations: [
          ...(app
            ? [
                {
                  to: { externalId: app, type: types.registration },
                  relation: "AppServicePrincipal",
                  isIncoming: true,
                },
              ]
            : []),
          ...users.flatMap((user): Relation[] => {
            const word = asPlain(user.principalType);
            const type = principalTypes[word];
            const externalId = asPlain(user.principalId);
            return type === undefined || externalId === ""
              ? []
              : [{ to: { externalId, type }, relation: `EnterpriseApplication${word}` }];
          }),
        ],
      });
    }
  if (asked > mostAsked)
    yield {
      kind: "notice",
      type: types.application,
      message: `More than ${mostAsked} applications are selected by appRoleAssignments; of the others nobody is read.`,
    };
}
const principalTypes: Readonly<Record<string, string>> = {
  User: types.user,
  Group: types.group,
  ServicePrincipal: types.application,
};

/** Who has which role, in an order that stays. */
function assignmentsOf(rows: readonly Row[], application: Row): JsonObject[] {
  const roles = new Map(
    asList(application.appRoles)
      .map(asObject)
      .map((role) => [asPlain(role.id), asText(role.value) ?? asPlain(role.displayName)]),
  );
  return rows
    .map((row) => ({
      principalType: asPlain(row.principalType),
      principalId: asPlain(row.principalId),
      principal: asPlain(row.principalDisplayName),
      role:
        asPlain(row.appRoleId) === anyRole
          ? "default"
          : (roles.get(asPlain(row.appRoleId)) ?? asPlain(row.appRoleId)),
    }))
    .toSorted((one, other) =>
      `${one.principalId} ${one.role}` < `${other.principalId} ${other.role}` ? -1 : 1,
    );
}
