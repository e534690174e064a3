import { asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { Found, ItemReference, Relation } from "../../scraping/scraped.ts";
import { withoutNulls } from "../api/scraped-api.ts";
import { type DevOps, groupType, organizationId, type Row, userType } from "./devops-api.ts";

/** Somebody who may be allowed something. */
export interface Identity {
  id: string;
  name: string;
  kind: "user" | "group" | "service";
  /** How they sign in, or their address. */
  account?: string;
  /** Of groups that were asked for it: descriptors of who is in it. */
  members?: string[];
}

/** Descriptors in one request: they stand in its address. */
const askedAtOnce = 25;
export const mostGroups = 10_000;

/** Those that the organization knows, by their descriptors. */
export async function readIdentities(
  devops: DevOps,
  descriptors: readonly string[],
  { by, hasMembers = false }: { by: "descriptors" | "subjectDescriptors"; hasMembers?: boolean },
): Promise<Map<string, Identity>> {
  const found = new Map<string, Identity>();
  for (let at = 0; at < descriptors.length; at += askedAtOnce) {
    const { rows } = await devops.rows(undefined, "identities", {
      query: [
        [by, descriptors.slice(at, at + askedAtOnce).join(",")],
        ["queryMembership", hasMembers ? "direct" : "none"],
      ],
      most: askedAtOnce,
      host: "vssps",
    });
    for (const row of rows) {
      const identity = identityOf(row);
      if (identity) found.set(asPlain(row.descriptor), identity);
    }
  }
  return found;
}

function identityOf(row: Row): Identity | undefined {
  const [id, descriptor] = [asPlain(row.id), asPlain(row.descriptor)];
  if (id === "" || descriptor === "") return undefined;
  const property = (key: string) => asText(asObject(asObject(row.properties)[key]).$value);
  const account = property("Mail") ?? property("Account");
  const isGroup = row.isContainer === true;
  const isService = /\.ServiceIdentity;|AadServicePrincipal/.test(descriptor);
  return {
    id,
    name: asText(row.customDisplayName) ?? asText(row.providerDisplayName) ?? account ?? id,
    kind: isGroup ? "group" : isService ? "service" : "user",
    ...(!isGroup && optional("account", account)),
    ...(Array.isArray(row.members) && { members: row.members.map(asPlain).filter(Boolean) }),
  };
}

/** All groups of the organization, with who is in them. */
export async function* readGroups(devops: DevOps): AsyncGenerator<Found, Map<string, Identity>> {
  const { rows, isCut } = await devops.rows(undefined, "graph/groups", {
    query: [],
    most: mostGroups,
    host: "vssps",
    version: "7.1-preview.1",
  });
  if (isCut)
    yield {
      kind: "notice",
      type: groupType,
      message: `${devops.organization} has more than ${mostGroups} groups; the first ones were read.`,
      untold: {
        unseen: [{ type: groupType, tags: { organization: devops.organization } }],
        unjudged: [],
      },
    };
  const subjects = rows.map(({ descriptor }) => asPlain(descriptor)).filter((one) => one !== "");
  return readIdentities(devops, subjects, { by: "subjectDescriptors", hasMembers: true });
}

const typeOf = ({ kind }: Identity) => (kind === "group" ? groupType : userType);

export const referenceTo = (organization: string, identity: Identity): ItemReference => ({
  externalId: `${organizationId(organization)}/identity/${identity.id}`,
  type: typeOf(identity),
});

/** A person, a group or a service as an item, with who is in it where that is known. */
export function identityItem(
  organization: string,
  identity: Identity,
  all: ReadonlyMap<string, Identity>,
): Found {
  const { id, name, kind, account } = identity;
  const members = identity.members?.flatMap((descriptor) => all.get(descriptor) ?? []);
  const relations = members?.map((member): Relation => ({
    to: referenceTo(organization, member),
    relation: member.kind === "group" ? "GroupGroup" : "GroupUser",
  }));
  return {
    kind: "item",
    item: {
      ...referenceTo(organization, identity),
      type: typeOf(identity),
      aliases: [],
      configClass: kind === "group" ? "Group" : "User",
      name,
      config: withoutNulls({
        id,
        name,
        kind,
        ...optional("account", account),
        ...(members && { members: members.map((member) => member.name).toSorted() }),
      }),
      labels: {},
      tags: { organization },
      properties: [],
      parents: [],
      relations: relations ?? [],
    },
  };
}
