import { canaryFormat, parseDocuments } from "@mainstay/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { canaryKind } from "#features/health/documents/canary-kind.ts";
import type { CanaryRow } from "#features/health/documents/check-document.ts";
import { connectionKind, type ConnectionRow } from "#features/connections/connection-kind.ts";
import { hiddenIn, secretsIn, textOf, textToKeep } from "./document-text.ts";

const id = "0190f3a2-0000-7000-8000-000000000001";
const own = {
  id,
  source: null,
  created_at: null,
  updated_at: null,
  deleted_at: null,
  sealed: {},
};
const canaryRow = (parts: Partial<CanaryRow>): CanaryRow => ({
  ...own,
  name: "shop",
  namespace: "default",
  labels: {},
  annotations: {},
  ...parts,
  // As the database has it: in an order of its own, and with placeholders.
  spec: canaryFormat.mapSecrets!(canaryKind.normalise!(parts.spec ?? {}), () => "********"),
});

const written = `# The shop of the north.
---
apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: shop   # not "store"
  labels: { team: 7 }
spec:
  schedule: "@every 1m"
  severity: High

  http:
    - name: front
      url: https://ann:swordfish@example.org/
      headers:
        - { name: Authorization, value: swordfish } # swordfish, in base64 c3dvcmRmaXNo
status: { message: swordfish }
`;
const spec = {
  schedule: "@every 1m",
  severity: "High",
  http: [
    {
      name: "front",
      url: "https://ann:swordfish@example.org/",
      headers: [{ name: "Authorization", value: "swordfish" }],
    },
  ],
};

test("a secret in a field that nothing reads is in no text", () => {
  const said = { type: "http", url: "https://example.org", passwordd: "pears" };
  const row = {
    ...own,
    ...connectionKind.toRow({
      name: "shop",
      namespace: "default",
      labels: null,
      annotations: null,
      spec: connectionKind.normalise!(said),
    }),
  } as ConnectionRow;
  const text = `apiVersion: ${connectionKind.format.apiVersions[0]}
kind: Connection
metadata: { name: shop }
spec:
  type: http # by hand
  url: https://example.org
  # passwordd: pears, or cGVhcnM=
  passwordd: pears # as agreed
`;
  const kept = textToKeep(connectionKind, row, {
    written: text,
    secrets: hiddenIn(connectionKind, said),
  });
  for (const words of ["type: http # by hand", "# passwordd: ********, or ********"])
    expect(kept).toContain(words);
  expect(kept).not.toContain("pears");
});

test("a text is kept as it was written, without its secrets and what no document keeps", () => {
  const row = canaryRow({ labels: { team: "7" }, spec });
  const secrets = secretsIn(canaryKind, spec);
  const kept = textToKeep(canaryKind, row, { written, secrets });
  expect(kept).toBe(
    written
      .replace("ann:swordfish@", "ann:********@")
      .replace("value: swordfish", 'value: "********"')
      .replace("# swordfish, in base64 c3dvcmRmaXNo", "# ********, in base64 ********")
      .replace("{ team: 7 }\n", `{ team: 7 }\n  uid: ${id}\n`)
      .replace("status: { message: swordfish }\n", ""),
  );
  // What others have changed of the row stands where it stood, and is taken back as well.
  const other = textOf(canaryKind, { ...row, name: "store", labels: null }, kept);
  expect(other).toBe(
    kept.replace("name: shop", "name: store").replace("  labels: { team: 7 }\n", ""),
  );
  expect(textOf(canaryKind, row, kept)).toBe(kept);
  expect(textOf(canaryKind, row, kept, { withoutUid: true })).not.toContain("uid");
});

test("a secret that hides where nobody looks for it takes the text with it", () => {
  const hidden = written
    .replace("kind: Canary", "kind: &swordfish Canary")
    .replace("status: { message: swordfish }\n", "");
  const row = canaryRow({ labels: { team: "7" }, spec });
  const kept = textToKeep(canaryKind, row, { written: hidden, secrets: ["swordfish"] });
  expect(kept).not.toContain("swordfish");
  expect(parseDocuments(kept, { formats: [canaryFormat] }).documents).toHaveLength(1);
});

test("what nobody has written is in the order of the schema, whatever the order of the row", () => {
  const row = canaryRow({
    labels: { b: "1", a: "2" },
    spec: { http: [{ zz: 1, url: "https://x.org", name: "front" }], schedule: "@hourly" },
  });
  expect(textOf(canaryKind, row, undefined)).toBe(`apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: shop
  namespace: default
  uid: ${id}
  labels:
    a: "2"
    b: "1"
spec:
  schedule: "@hourly"
  http:
    - name: front
      url: https://x.org
      zz: 1
`);
});

test("a kind that keeps its spec in another form leaves the words of the text", () => {
  const text = `apiVersion: mission-control.flanksource.com/v1
kind: Connection
metadata: { name: db }
spec:
  # Ours.
  postgres:
    url: postgres://db.example.org:5432/shop   # the shop
    password: { value: swordfish }
`;
  const said = {
    postgres: { url: "postgres://db.example.org:5432/shop", password: { value: "swordfish" } },
  };
  const flat = connectionKind.normalise!(said);
  const row = {
    ...own,
    name: "db",
    namespace: "default",
    labels: null,
    annotations: null,
    kept_in: null,
    insecure_tls: false,
    username: null,
    certificate: null,
    properties: null,
    ...flat,
    password: "***",
  } as unknown as ConnectionRow;
  const kept = textToKeep(connectionKind, row, {
    written: text,
    secrets: secretsIn(connectionKind, said),
  });
  expect(kept).toBe(
    text.replace("swordfish", '"********"').replace("{ name: db }", `{ name: db, "uid": "${id}" }`),
  );
  const moved = textOf(connectionKind, { ...row, url: "postgres://other.example.org/shop" }, kept);
  expect(moved).toContain(
    "  # Ours.\n  postgres:\n    url:   # the shop\n      value: postgres://other.example.org/shop\n",
  );
});

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,8}$/),
  fc.constantFrom(
    "a: b",
    "- x",
    "# y",
    "x #y",
    "1",
    "true",
    "null",
    "a\nb\n",
    " a",
    "********",
    "ü",
  ),
);
const name = fc.stringMatching(/^[a-z]{1,6}$/);
const check = fc.record(
  {
    name,
    url: fc.constantFrom(
      "https://example.org",
      "https://example.org/a?b=c",
      "http://u:p4ssw0rd@example.org/",
    ),
    description: word,
    method: fc.constantFrom("GET", "POST"),
    body: word,
    severity: fc.constantFrom("High", "low"),
    headers: fc.array(fc.record({ name: fc.constantFrom("Accept", "X-Token"), value: word }), {
      maxLength: 2,
    }),
  },
  { requiredKeys: ["name", "url"] },
);
const document = fc.record({
  name,
  labels: fc.dictionary(name, word, { maxKeys: 3 }),
  annotations: fc.dictionary(name, word, { maxKeys: 2 }),
  spec: fc.record(
    {
      schedule: fc.constantFrom("@every 1m", "@hourly"),
      description: word,
      severity: fc.constantFrom("High", "low"),
      http: fc.uniqueArray(check, { maxLength: 4, selector: (one) => one.name }),
    },
    { requiredKeys: ["schedule", "http"] },
  ),
});
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

test("whatever was written and whatever the row says: the text means the row, and holds none of its secrets", () => {
  fc.assert(
    fc.property(document, document, fc.constantFrom(2, 4), (before, after, indent) => {
      const [old, now] = [plain(before), plain(after)];
      const text = `# About it: p4ssw0rd\n${stringify(
        {
          apiVersion: "canaries.flanksource.com/v1",
          kind: "Canary",
          metadata: { name: old.name, labels: old.labels, annotations: old.annotations },
          spec: old.spec,
        },
        { indent },
      )}`;
      const secrets = secretsIn(canaryKind, old.spec);
      const kept = textToKeep(canaryKind, canaryRow(old), { written: text, secrets });
      if (secrets.includes("p4ssw0rd")) expect(kept).not.toContain("p4ssw0rd");
      for (const [meant, shown] of [
        [old, kept],
        [now, textOf(canaryKind, canaryRow(now), kept)],
      ]) {
        const { documents, problems } = parseDocuments(shown, { formats: [canaryFormat] });
        expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
        const [read] = documents;
        const row = canaryRow(meant);
        expect(read).toMatchObject({ name: meant.name, namespace: "default", uid: id });
        expect([read!.labels, read!.annotations]).toEqual([meant.labels, meant.annotations]);
        expect(canaryKind.normalise!(read!.source)).toEqual(row.spec);
        expect(shown).toContain("# About it");
      }
    }),
    { numRuns: 150, seed: 7 },
  );
});
