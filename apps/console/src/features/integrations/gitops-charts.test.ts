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

test.each([
  ["namespace", "Not a name; rm -rf", "small letters"],
  ["interval", "soon", "duration"],
  ["version", "1'; rm", "version"],
  ["values", "- a", "mapping"],
  ["values", "a: [", ""],
] as const)("%s %s is refused", (field, value, message) => {
  const found = mistakesOf({ ...filled, [field]: value });
  expect(found[field]).toContain(message);
  expect(Object.values(found).filter((one) => one !== undefined)).toHaveLength(1);
});
