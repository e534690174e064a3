import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { charts, defaultRelease, fluxPreview, helmPreview, mistakesOf } from "./gitops-charts.ts";

const aws = charts.find(({ id }) => id === "aws")!;
const filled = {
  ...defaultRelease,
  version: "1.x",
  values: "region:\n  - eu-central-1\nname: it's\n",
};

test("a release of Flux says repository, chart, version and values", () => {
  const objects = parseAllDocuments(fluxPreview(aws, filled)).map((one) => one.toJS() as object);
  expect(objects).toMatchObject([
    { kind: "Namespace", metadata: { name: "mission-control" } },
    { kind: "HelmRepository", spec: { interval: "30m", url: expect.stringContaining("https://") } },
    {
      kind: "HelmRelease",
      metadata: { name: "mission-control-aws", namespace: "mission-control" },
      spec: {
        interval: "30m",
        chart: { spec: { chart: "mission-control-aws", version: "1.x" } },
        values: { region: ["eu-central-1"], name: "it's" },
      },
    },
  ]);
  expect(fluxPreview(aws, defaultRelease)).not.toMatch(/version:|values:/);
});

test("the same as commands", () => {
  expect(helmPreview(aws, filled))
    .toBe(`helm repo add flanksource https://flanksource.github.io/charts
helm repo update

helm upgrade --install mission-control-aws flanksource/mission-control-aws \\
  --namespace mission-control --create-namespace \\
  --version '1.x' \\
  --values - <<'VALUES'
region:
  - eu-central-1
name: it's
VALUES
`);
  expect(helmPreview(aws, defaultRelease)).not.toMatch(/VALUES|--version/);
});

/** What YAML 1.2 and what Helm and Flux, which read YAML 1.1, make of a text. */
const readings = (text: string) =>
  (["1.2", "1.1"] as const).map((version) =>
    parseAllDocuments(text, { version }).map((one) => one.toJS() as unknown),
  );

/** What Helm is told by a shell that runs the commands: its arguments, and its values. */
function runByShell(commands: string): { words: string[]; values: string } {
  const helm = 'helm() { case $1 in upgrade) printf "%s\\0" "$@"; cat;; esac; }';
  const told = execFileSync("sh", ["-c", `${helm}\n${commands}`], { encoding: "utf8", input: "" });
  const words = told.split("\0");
  return { words, values: words.pop()! };
}

test.each([
  `a: "it's \\"so\\": #1 | > & * ! % @ \`"`,
  "a: 'one: two'\nb: \"# three\"\n\"c: d\": '| e'",
  "script: |\n  #!/bin/sh\n  echo \"$HOME\" 'x' `id` $(id) \\\n\n  VALUES\n    indented: here\nafter: 1\n",
  "folded: >-\n  one\n  two\n\n  three: four\nkept: |+\n  end\n\n",
  "spaces: |2\n    two more\n  and none\n",
  "a: yes\nb: \"yes\"\nc: 'off'\nd: 012\ne: '012'\nf: 1e3\ng: '1e3'\nh: ~\ni: 'null'\nj: 2026-01-01\n",
  "{ a: [VALUES, { b: 'c' }], \"VALUES\": 1 }",
  "# what it is\nbase: &base { a: 1 } # here\nmore: *base\nVALUES: x\n? k\n: v\n",
  `long: ${"word ".repeat(60)}end\nquoted: "${"word: ".repeat(60)}end"`,
  "---\na: 1\n...\n",
  '{a: "x\nVALUES\necho hi\n", b: "VALUES_"}',
  "--- { a: 1 }",
  "# first\n  a: 1\n  b:\n  - 2\n  # last",
  "unicode: \"\\u2028 \\t é 日本\"\nempty: ''\nlist:\n- '- x'\n-\n  - y\n",
])("values are read from both previews as they are typed: %j", (values) => {
  const release = { ...filled, values };
  expect(mistakesOf(release).values).toBeUndefined();
  const typed = readings(values).map(([one]) => one);
  const byFlux = readings(fluxPreview(aws, release)).map((objects) => {
    expect(objects).toHaveLength(3);
    return (objects[2] as { spec: { values: unknown } }).spec.values;
  });
  expect(byFlux).toEqual(typed);
  const { values: byHelm, words } = runByShell(helmPreview(aws, release));
  expect(words).toContain("1.x");
  expect(readings(byHelm)).toEqual(typed.map((one) => [one]));
});

test.each([
  ["no", "1.10"],
  ["0123", "1e3"],
  ["on", "*"],
  ["y", "| 1"],
  ["1e3", ">=1.0, <2.0"],
])("namespace %s and version %s stay words, whoever reads them", (namespace, version) => {
  const release = { ...filled, namespace, version };
  expect(Object.values(mistakesOf(release)).filter((one) => one !== undefined)).toEqual([]);
  for (const objects of readings(fluxPreview(aws, release)))
    expect(objects).toMatchObject([
      { metadata: { name: namespace } },
      { metadata: { namespace } },
      { metadata: { namespace }, spec: { chart: { spec: { version, sourceRef: { namespace } } } } },
    ]);
  const { words } = runByShell(helmPreview(aws, release));
  expect(words).toContain(version);
  expect(words).toContain(namespace);
});

test.each([
  ["namespace", "Not a name; rm -rf", "small letters"],
  ["interval", "soon", "duration"],
  ["version", "1'; rm", "version"],
  ["values", "- a", "mapping"],
  ["values", "a: [", ""],
  ["values", "a: *missing", "missing"],
  ["values", "a: 1\n---\nb: 2", "documents"],
] as const)("%s %s is refused", (field, value, message) => {
  const found = mistakesOf({ ...filled, [field]: value });
  expect(found[field]).toContain(message);
  expect(Object.values(found).filter((one) => one !== undefined)).toHaveLength(1);
});
