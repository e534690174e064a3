import { createEvaluator, type Language, ScriptError } from "@mainstay/scripting";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "#platform/db/database.ts";
import { createLog } from "#platform/log.ts";
import { withCatalog, withoutCatalog } from "#platform/scripts/ask-catalog.ts";
import { testDatabase } from "../../../testing/app.ts";
import { catalogAnswers } from "./catalog-evaluator.ts";

const id = (n: number) => `0190a0b4-0000-7000-8000-${String(n).padStart(12, "0")}`;
const clock = { now: () => new Date("2026-06-15T12:00:00Z") };
const plain = createEvaluator({ limits: { milliseconds: 1500 } });
let db: Database;
let drop: () => Promise<void>;
let evaluator: typeof plain;

/** A shop that Flux delivers, a chart, one that Argo CD delivers, and a pod of no repository. */
const items: readonly (readonly [n: number, kind: string, name: string, config: object])[] = [
  [1, "Cluster", "prod", {}],
  [2, "Namespace", "shop", {}],
  [
    3,
    "Deployment",
    "web",
    {
      metadata: {
        annotations: { "config.kubernetes.io/origin": "path: base/web.yaml\nrepo: x\n" },
      },
      spec: { replicas: 2 },
    },
  ],
  [4, "Pod", "web-1", { spec: { nodeName: "n1" } }],
  [5, "Kustomization", "apps", fluxSource({ path: "./clusters/prod" }, "GitRepository", "fleet")],
  [
    6,
    "GitRepository",
    "fleet",
    { spec: { url: "ssh://git@github.com/acme/fleet.git", ref: { branch: "main" } } },
  ],
  [
    7,
    "HelmRelease",
    "redis",
    {
      spec: {
        chart: {
          spec: {
            chart: "redis",
            version: "19.x",
            sourceRef: { kind: "HelmRepository", name: "bitnami" },
          },
        },
      },
    },
  ],
  [8, "HelmRepository", "bitnami", { spec: { url: "https://charts.example.org" } }],
  [9, "StatefulSet", "redis", {}],
  [
    10,
    "Application",
    "mail",
    {
      spec: {
        source: {
          repoURL: "https://bot:token@gitlab.acme.org/it/mail.git",
          targetRevision: "v2",
          path: "deploy",
        },
      },
    },
  ],
  [11, "Deployment", "mail", {}],
  [12, "Pod", "alone", {}],
];
function fluxSource(spec: object, kind: string, name: string) {
  return { spec: { ...spec, sourceRef: { kind, name } } };
}
const relations: readonly (readonly [from: number, to: number])[] = [
  [5, 2],
  [5, 3],
  [5, 6],
  [5, 7],
  [7, 8],
  [7, 9],
  [10, 11],
];

beforeAll(async () => {
  ({ db, drop } = await testDatabase());
  evaluator = withCatalog(plain, catalogAnswers({ db, clock, log: createLog("error") }));
  for (const [n, kind, name, config] of items) {
    const parents = n < 3 ? [1].slice(0, n - 1) : n === 4 ? [1, 2, 3] : [1, 2];
    await db.run(sql`
      insert into config_items (id, name, type, config_class, health, config, labels, tags, parent_id, path)
      values (${id(n)}, ${name}, ${`Kubernetes::${kind}`}, ${kind}, 'healthy', ${JSON.stringify(config)}, '{"app":"shop"}',
              '{"namespace":"shop"}', ${parents.length > 0 ? id(parents.at(-1)!) : null}, ${parents.map(id).join(".")})`);
  }
  for (const [from, to] of relations)
    await db.run(sql`
      insert into config_relationships (config_id, related_id, relation) values (${id(from)}, ${id(to)}, 'tie')`);
});
afterAll(async () => {
  await evaluator.close();
  await drop();
});

const evaluate = (language: Language, script: string) =>
  evaluator.evaluate({ language, script, context: { me: { id: id(3) }, kind: "Pod" } });
const textOf = async (language: Language, script: string) =>
  (await evaluate(language, script)).text;
async function mistakeOf(language: Language, script: string): Promise<string> {
  const error: unknown = await evaluate(language, script).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ScriptError);
  return (error as ScriptError).message;
}

describe("what scripts ask", () => {
  test.each<[Language, string, string]>([
    ["cel", "catalog.query('type=Kubernetes::Pod').map(i, i.name).join(',')", "alone,web-1"],
    ["cel", "catalog.query('type=Kubernetes::%s name=web*', [kind]).size()", "1"],
    [
      "cel",
      "catalog.query({'types': ['Kubernetes::Deployment'], 'name': 'web'})[0].config.spec.replicas",
      "2",
    ],
    ["cel", "catalog.query([{'name': 'web'}, {'name': 'mail'}]).size()", "3"],
    ["cel", "catalog.query_one('name=nobody').?name.orValue('none')", "none"],
    ["cel", "catalog.query_one('type=Kubernetes::Deployment name=web').labels.app", "shop"],
    [
      "cel",
      "catalog.traverse(me.id, 'Kubernetes::Kustomization/Kubernetes::GitRepository', 'all').map(i, i.name).join(',')",
      "fleet",
    ],
    ["cel", "catalog.traverse(me, 'Kubernetes::Kustomization', 'incoming')[0].name", "apps"],
    ["cel", "catalog.traverse(me, '', 'incoming').map(i, i.name).join(',')", "apps,shop,prod"],
    ["cel", "catalog.traverse(me, 'Kubernetes::Pod', 'outgoing').size()", "1"],
    [
      "gotemplate",
      '{{ range catalog_query "type=Kubernetes::%s" .kind }}{{ .name }};{{ end }}',
      "alone;web-1;",
    ],
    [
      "gotemplate",
      '{{ (catalog_query_one "name=web type=Kubernetes::Deployment").config.spec.replicas }}',
      "2",
    ],
    [
      "gotemplate",
      '{{ (index (catalog_traverse .me.id "Kubernetes::Kustomization" "incoming") 0).name }}',
      "apps",
    ],
    ["gotemplate", "{{ (gitops_source .me).git.file }}", "clusters/prod/base/web.yaml"],
    ["javascript", "catalog.query('type=Kubernetes::' + kind).length", "2"],
  ])("%s: %s", async (language, script, expected) => {
    expect(await textOf(language, script)).toBe(expected);
  });

  test.each<[string, string]>([
    ["catalog.query('type=')", "catalog.query: "],
    ["catalog.query({'nmae': 'web'})", 'Unrecognized key: "nmae"'],
    ["catalog.query('%s %s', ['a'])", "more places than values"],
    ["catalog.traverse('x', 'y', 'all')", "the id of an item is wanted"],
    ["catalog.traverse(me, 'y', 'sideways')", "one of incoming, outgoing, all"],
    ["catalog.traverse(me, 'a/b/c/d/e/f', 'all')", "5 steps at most"],
    [`gitops.source('${id(99)}')`, "there is no item"],
  ])("what is wrong in %s is told", async (script, message) => {
    expect(await mistakeOf("cel", script)).toContain(message);
  });

  test("nothing is selected by a selector that says nothing", async () => {
    expect(await textOf("cel", "catalog.query({}).size()")).toBe("0");
    expect(await textOf("cel", "catalog.query('').size()")).toBe("0");
  });
});

describe("where an item comes from", () => {
  const source = async (n: number) =>
    JSON.parse(await textOf("cel", `gitops.source('${id(n)}').toJSON()`)) as object;

  test("a folder of a repository, and the file in it; a pod is of its deployment's", async () => {
    const git = {
      url: "ssh://git@github.com/acme/fleet.git",
      branch: "main",
      dir: "clusters/prod/base",
      file: "clusters/prod/base/web.yaml",
      link: "https://github.com/acme/fleet/tree/main/clusters/prod/base/web.yaml",
    };
    const from = {
      sourceRef: { kind: "GitRepository", name: "fleet", namespace: "shop" },
      kustomize: { path: "./clusters/prod", file: "clusters/prod/kustomization.yaml" },
    };
    expect(await source(3)).toMatchObject({ git, ...from });
    const whole = { ...git, dir: "clusters/prod", file: "" };
    const link = "https://github.com/acme/fleet/tree/main/clusters/prod";
    expect(await source(4)).toMatchObject({ git: { ...whole, link }, ...from });
  });

  test("a chart, whose release a folder delivers", async () => {
    expect(await source(9)).toMatchObject({
      helm: {
        release: "redis",
        namespace: "shop",
        chart: "redis",
        version: "19.x",
        url: "https://charts.example.org",
      },
      kustomize: { path: "./clusters/prod" },
      git: { branch: "main" },
    });
  });

  test("an application, without the credentials of its repository", async () => {
    expect(await source(11)).toMatchObject({
      application: { name: "mail", namespace: "shop" },
      git: {
        url: "https://gitlab.acme.org/it/mail.git",
        branch: "v2",
        dir: "deploy",
        link: "https://gitlab.acme.org/it/mail/-/tree/v2/deploy",
      },
    });
  });

  test("nothing, where nobody delivers it", async () => {
    expect(await source(12)).toEqual({
      git: { url: "", branch: "", dir: "", file: "", link: "" },
      sourceRef: { kind: "", name: "", namespace: "" },
      kustomize: { path: "", file: "" },
      helm: { release: "", namespace: "", chart: "", version: "", url: "" },
      application: { name: "", namespace: "" },
    });
  });
});

test("while every connection is taken a script gives up, and leaves nothing behind", async () => {
  const held = await Promise.all(
    Array.from({ length: db.pool.options.max }, () => db.pool.connect()),
  );
  const script = "catalog.query('name=web').size()";
  try {
    expect(await mistakeOf("cel", script)).toContain("takes longer than 1500 ms: it waits for");
  } finally {
    for (const client of held) client.release();
  }
  expect(await textOf("cel", script)).toBe("1");
  expect(db.pool.waitingCount).toBe(0);
});

test("without a server there is no catalog, and scripts are told so", async () => {
  const error: unknown = await withoutCatalog(plain)
    .evaluate({ language: "cel", script: "catalog.query('x').size()", context: {} })
    .catch((reason: unknown) => reason);
  expect((error as ScriptError).message).toContain("there is no catalog here");
});
