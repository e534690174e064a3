import { asList, asObject, asPlain, asText } from "#platform/outbound/http/read-json.ts";
import type { DevOps, Project, Row } from "./devops-api.ts";

/*
 * How Azure DevOps keeps who may do what: each sort of thing has a *namespace*, whose lists stand at *tokens* that go from the
 * root to the thing. An entry allows and denies permissions, as bits, to one *identity*: a person, a group or a service.
 * Source: Microsoft's reference of security namespaces.
 */

export type Noun = "pipeline" | "release" | "repository";

interface Namespace {
  id: string;
  /** How roles of a document name it. */
  prefix: string;
  /** Above the projects. */
  root?: string;
}

export const namespaces: Readonly<Record<Noun, Namespace>> = {
  pipeline: { id: "33344d9c-fc72-4d6f-aba5-fa317101a7e9", prefix: "Pipeline" },
  release: { id: "c788c23e-1b46-4162-8f5e-d7585343b5de", prefix: "Release" },
  repository: { id: "2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87", prefix: "Git", root: "repoV2" },
};

/** What documents call otherwise than the server. */
const documented: Readonly<Record<string, string>> = {
  GenericRead: "Read",
  GenericContribute: "Contribute",
  ManageNote: "ManageNotes",
  EditBuildDefinition: "EditBuildPipeline",
  DeleteBuildDefinition: "DeleteBuildPipeline",
  ViewBuildDefinition: "ViewBuildPipeline",
  QueueReleases: "CreateReleases",
};

/** One thing whose permissions are asked for. */
export interface Secured {
  id: string;
  /** Where it lies in its project: `\apps\web`. */
  folder?: string | undefined;
}

/** Who has which permissions: by the descriptor of the identity, in order. */
export type Grants = [descriptor: string, permissions: string[]][];

interface List {
  inherits: boolean;
  entries: Map<string, { allow: number; deny: number }>;
}

const mostLists = 200_000;

/** Bits of permissions are whole numbers of 32 bits; anything else means none. */
const asBits = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value % 2 ** 32 : 0;

const normal = (token: string) => token.toLowerCase().replaceAll(/^\/+|\/+$/g, "");

/** Reads who may do what; what is the same for all projects is asked for once. */
export class Security {
  readonly #devops: DevOps;
  readonly #names = new Map<string, [number, string][]>();
  readonly #roots = new Map<string, Map<string, List>>();

  constructor(devops: DevOps) {
    this.#devops = devops;
  }

  /** Who may do what with things of one sort in one project, by their ids. */
  async grants(
    project: Project,
    { noun, things }: { noun: Noun; things: readonly Secured[] },
  ): Promise<Map<string, Grants>> {
    const { id: namespace, root } = namespaces[noun];
    const names = this.#names.get(namespace) ?? (await readNames(this.#devops, namespace));
    this.#names.set(namespace, names);
    const above =
      root === undefined
        ? new Map<string, List>()
        : (this.#roots.get(root) ?? (await this.#lists(namespace, root, false)));
    if (root !== undefined) this.#roots.set(root, above);
    const top = root === undefined ? project.id : `${root}/${project.id}`;
    const lists = new Map([...above, ...(await this.#lists(namespace, top, true))]);
    return new Map(
      things.map(({ id, folder }) => {
        const folders = (folder ?? "").split(/[\\/]+/).filter((part) => part !== "");
        const way = [...top.split("/"), ...folders, id];
        return [id, grantsAt(way, lists, names)];
      }),
    );
  }

  async #lists(namespace: string, token: string, recurse: boolean): Promise<Map<string, List>> {
    const { rows, isCut } = await this.#devops.rows(undefined, `accesscontrollists/${namespace}`, {
      query: [
        ["token", token],
        ["recurse", String(recurse)],
      ],
      most: mostLists,
    });
    if (isCut) throw new Error(`Azure DevOps tells more than ${mostLists} lists of permissions.`);
    return new Map(rows.map((row) => [normal(asPlain(row.token)), listOf(row)]));
  }
}

async function readNames(devops: DevOps, namespace: string): Promise<[number, string][]> {
  const answer = await devops.one(`securitynamespaces/${namespace}`, { query: [] });
  const actions = asList(asObject(asList(answer.value)[0]).actions).map(asObject);
  const names = actions.flatMap(({ bit, name }): [number, string][] => {
    const [bits, text] = [asBits(bit), asPlain(name)];
    return bits === 0 || text === "" ? [] : [[bits, documented[text] ?? text]];
  });
  if (names.length === 0) throw new Error("Azure DevOps does not say which permissions there are.");
  return names;
}

const listOf = (row: Row): List => ({
  inherits: row.inheritPermissions !== false,
  entries: new Map(
    Object.entries(asObject(row.acesDictionary)).map(([key, value]) => {
      const { descriptor, allow, deny } = asObject(value);
      return [asText(descriptor) ?? key, { allow: asBits(allow), deny: asBits(deny) }];
    }),
  ),
});

/** What is said nearest to the thing holds; of what is said in one place, what denies. */
function grantsAt(
  way: readonly string[],
  lists: ReadonlyMap<string, List>,
  names: readonly [number, string][],
): Grants {
  const said = new Map<string, { allowed: number; decided: number }>();
  for (let length = way.length; length > 0; length -= 1) {
    const list = lists.get(normal(way.slice(0, length).join("/")));
    if (!list) continue;
    for (const [descriptor, { allow, deny }] of list.entries) {
      const before = said.get(descriptor) ?? { allowed: 0, decided: 0 };
      said.set(descriptor, {
        allowed: (before.allowed | (allow & ~deny & ~before.decided)) >>> 0,
        decided: (before.decided | allow | deny) >>> 0,
      });
    }
    if (!list.inherits) break;
  }
  return Array.from(said)
    .map(([descriptor, { allowed }]): Grants[number] => [
      descriptor,
      names.filter(([bit]) => (allowed & bit) !== 0).map(([, name]) => name),
    ])
    .filter(([, permissions]) => permissions.length > 0)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}
