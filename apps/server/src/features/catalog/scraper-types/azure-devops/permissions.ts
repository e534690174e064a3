import { type AzureDevopsScraper, isDuration, parseDuration } from "@mainstay/contract";
import { z } from "zod";
import { ApiRefusal } from "#platform/outbound/http/ask-json.ts";
import type { Json, JsonObject } from "../../changes/json-patch.ts";
import type { Found, ScrapedItem } from "../../scraping/scraped.ts";
import {
  type DevOps,
  groupType,
  pipelineType,
  type Project,
  releaseType,
  repositoryType,
  userType,
} from "./devops-api.ts";
import {
  type Identity,
  identityItem,
  readGroups,
  readIdentities,
  referenceTo,
} from "./identities.ts";
import { type Grants, namespaces, type Noun, type Secured, Security } from "./security.ts";

/*
 * Who may do what with pipelines, releases and repositories. It stands in what an item is, so that it is a change when
 * somebody is allowed more; and those who are allowed something are items, related to it. It is read as often as the document
 * says; between that, what was read is kept in the position of the scraper.
 */

const defaultRate = "24h";
/** Characters that are kept from one reading to the next; of more, all is read each time. */
const mostKept = 4_000_000;

const nouns = {
  pipeline: { type: pipelineType, relation: "Pipeline" },
  release: { type: releaseType, relation: "Release" },
  repository: { type: repositoryType, relation: "Repository" },
} as const;

/** Our choice of what makes the roles that the format names. */
const defaultRoles: Readonly<Record<string, readonly string[]>> = {
  Viewer: ["Git:Read", "Pipeline:ViewBuilds", "Release:ViewReleases"],
  Developer: ["Git:Contribute", "Pipeline:QueueBuilds", "Pipeline:EditBuildPipeline"],
  Releaser: ["Release:CreateReleases", "Release:ManageDeployments"],
  Admin: [
    "Git:ManagePermissions",
    "Pipeline:AdministerBuildPermissions",
    "Release:AdministerReleasePermissions",
  ],
};

const grantsShape = z.array(z.tuple([z.string(), z.array(z.string())]));
/** Lists of permissions that many things have in common stand there once. */
const keptShape = z.object({
  projects: z.record(
    z.string(),
    z.object({ at: z.string(), lists: z.array(grantsShape), of: z.record(z.string(), z.number()) }),
  ),
  groupsAt: z.string().optional(),
  identities: z.record(
    z.string(),
    z.object({
      id: z.string(),
      name: z.string(),
      kind: z.enum(["user", "group", "service"]),
      account: z.string().exactOptional(),
      members: z.array(z.string()).exactOptional(),
    }),
  ),
});
type Kept = z.infer<typeof keptShape>;

const emptyKept: Kept = { projects: {}, identities: {} };

export class Permissions {
  readonly #devops: DevOps;
  readonly #security: Security;
  readonly #signal: AbortSignal;
  readonly #spec: NonNullable<AzureDevopsScraper["permissions"]>;
  readonly #now: Date;
  readonly #before: Kept;
  readonly #after: Kept["projects"] = {};
  readonly #identities: Map<string, Identity>;
  readonly #roles: [string, readonly string[]][];
  /** Who is allowed something by what was told, and who is in groups that were. */
  readonly #meant = new Set<string>();
  /** Those whom nobody knows are asked for once. */
  readonly #asked = new Set<string>();
  #groupsAt: string | undefined;
  #isPartial = false;

  constructor(
    spec: NonNullable<AzureDevopsScraper["permissions"]>,
    {
      devops,
      now,
      stood,
      signal,
    }: { devops: DevOps; now: Date; stood: unknown; signal: AbortSignal },
  ) {
    this.#devops = devops;
    this.#security = new Security(devops);
    this.#signal = signal;
    this.#spec = spec;
    this.#now = now;
    this.#before = keptShape.safeParse(stood).data ?? emptyKept;
    this.#identities = new Map(Object.entries(this.#before.identities));
    this.#groupsAt = this.#before.groupsAt;
    this.#roles = Object.entries(spec.roles ?? defaultRoles);
  }

  /** Roles whose permissions nobody can have, as they are called otherwise. */
  *mistakes(): Generator<Found> {
    const prefixes = Object.values(namespaces).map(({ prefix }) => `${prefix}:`);
    const wrong = this.#roles
      .flatMap(([, permissions]) => permissions)
      .filter((permission) => !prefixes.some((prefix) => permission.startsWith(prefix)));
    if (wrong.length > 0)
      yield {
        kind: "notice",
        message: `permissions.roles: ${wrong.slice(0, 5).join(", ")} begins with none of ${prefixes.join(", ")}.`,
      };
  }

  #isDue(at: string | undefined): boolean {
    const { rateLimit = defaultRate } = this.#spec;
    const rateMs = parseDuration(isDuration(rateLimit) ? rateLimit : defaultRate);
    const age = this.#now.getTime() - Date.parse(at ?? "");
    return !(age >= 0 && age < rateMs);
  }

  /** The items with what is known of who may do what; what may not be read takes nothing from them. */
  async *of(
    project: Project,
    noun: Noun,
    items: readonly { item: ScrapedItem; secured: Secured }[],
  ): AsyncGenerator<Found> {
    const place = `${project.name}/${noun}`;
    const before = this.#before.projects[place];
    let kept = before;
    const isKnown = items.every(({ secured }) => before?.of[secured.id] !== undefined);
    if (items.length > 0 && (!isKnown || this.#isDue(before?.at))) {
      try {
        const things = items.map(({ secured }) => secured);
        const read = await this.#security.grants(project, { noun, things });
        await this.#identify(new Set([...read.values()].flat().map(([descriptor]) => descriptor)));
        kept = { at: this.#now.toISOString(), ...shared(read) };
      } catch (error) {
        const message = this.#reason(error);
        this.#isPartial ||= before === undefined;
        yield {
          kind: "failure",
          type: nouns[noun].type,
          message: `${project.name}: who may do what is not read: ${message}`,
          unseen: [],
          unjudged: [],
        };
      }
    }
    if (kept) this.#after[place] = kept;
    for (const { item, secured } of items)
      yield { kind: "item", item: this.#with(item, noun, kept?.lists[kept.of[secured.id] ?? -1]) };
  }

  /** Things that could not be listed this time: what was known of who may do what with them stays known. */
  missed(project: Project, noun: Noun): void {
    const place = `${project.name}/${noun}`;
    if (this.#after[place]) return;
    const before = this.#before.projects[place];
    this.#isPartial ||= before === undefined;
    if (!before) return;
    this.#after[place] = before;
    for (const [descriptor] of before.lists.flat()) this.#meant.add(descriptor);
  }

  /** Why something was not read, where the rest can be. An organization that is busy is asked no further. */
  #reason(error: unknown): string {
    this.#signal.throwIfAborted();
    if (!(error instanceof Error) || (error instanceof ApiRefusal && error.isBusy)) throw error;
    return error.message;
  }

  async #identify(descriptors: ReadonlySet<string>): Promise<void> {
    const strange = [...descriptors].filter(
      (one) => !this.#identities.has(one) && !this.#asked.has(one),
    );
    const found = await readIdentities(this.#devops, strange, { by: "descriptors" });
    for (const one of strange) this.#asked.add(one);
    for (const [descriptor, identity] of found) this.#identities.set(descriptor, identity);
  }

  #with(item: ScrapedItem, noun: Noun, grants: Grants | undefined): ScrapedItem {
    if (!grants) return item;
    const { prefix } = namespaces[noun];
    const known = grants.flatMap(([descriptor, permissions]) => {
      const identity = this.#identities.get(descriptor);
      if (!identity) return [];
      this.#meant.add(descriptor);
      const has = new Set(permissions.map((permission) => `${prefix}:${permission}`));
      const roles = this.#roles
        .filter(([, wanted]) => wanted.some((one) => has.has(one)))
        .map(([role]) => role);
      return [{ identity, roles, permissions }];
    });
    const access = known
      .map(({ identity: { name, kind }, roles, permissions }) => ({
        name,
        kind,
        roles,
        permissions,
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return {
      ...item,
      config: { ...(item.config as JsonObject), access },
      relations: [
        ...item.relations,
        ...known.map(({ identity }) => ({
          to: referenceTo(this.#devops.organization, identity),
          relation: `${nouns[noun].relation}${identity.kind === "group" ? "Group" : "User"}`,
        })),
      ],
    };
  }

  /** Who may do something, as items, when all they may do was told. */
  async *people(): AsyncGenerator<Found> {
    const { organization } = this.#devops;
    const types = [userType, groupType].map((type) => ({ type, tags: { organization } }));
    if (this.#spec.groups && this.#isDue(this.#groupsAt))
      try {
        const groups = yield* readGroups(this.#devops);
        await this.#identify(new Set([...groups.values()].flatMap(({ members = [] }) => members)));
        for (const identity of this.#identities.values()) delete identity.members;
        for (const [descriptor, identity] of groups) this.#identities.set(descriptor, identity);
        this.#groupsAt = this.#now.toISOString();
      } catch (error) {
        const message = this.#reason(error);
        this.#isPartial ||= this.#groupsAt === undefined;
        yield {
          kind: "failure",
          type: groupType,
          message: `who is in which group is not read: ${message}`,
          unseen: [],
          unjudged: [],
        };
      }
    if (this.#spec.groups)
      for (const [descriptor, { members }] of this.#identities)
        if (members) for (const one of [descriptor, ...members]) this.#meant.add(one);
    if (this.#isPartial)
      yield {
        kind: "notice",
        message: "Not all who may do something are known: none of them is taken for gone.",
        untold: { unseen: types, unjudged: [] },
      };
    for (const descriptor of this.#meant) {
      const identity = this.#identities.get(descriptor);
      if (identity) yield identityItem(organization, identity, this.#identities);
    }
  }

  /** What is kept for the next time; nothing where it would be too much. */
  kept(): Json | undefined {
    const identities = Object.fromEntries(
      [...this.#identities].filter(([descriptor]) => this.#meant.has(descriptor)),
    );
    const kept = {
      projects: this.#after,
      identities,
      ...(this.#groupsAt !== undefined && { groupsAt: this.#groupsAt }),
    };
    const text = JSON.stringify(kept);
    return text.length > mostKept ? undefined : (JSON.parse(text) as Json);
  }
}

/** The same list of many things is kept once. */
function shared(read: ReadonlyMap<string, Grants>): Pick<Kept["projects"][string], "lists" | "of"> {
  const lists: Grants[] = [];
  const places = new Map<string, number>();
  const of: Record<string, number> = {};
  for (const [id, grants] of read) {
    const text = JSON.stringify(grants);
    let place = places.get(text);
    if (place === undefined) {
      place = lists.push(grants) - 1;
      places.set(text, place);
    }
    of[id] = place;
  }
  return { lists, of };
}
