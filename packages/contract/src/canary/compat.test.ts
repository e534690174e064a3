import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkKeys } from "./canary-spec.ts";
import { typeUnder } from "./check-lists.ts";
import { checksOf } from "./checks-of.ts";
import { parseCanaryDocuments } from "./parse-canary.ts";

/** Documents as people have them, with every type and the fields of its published description (`compat/`). */

const folder = new URL("./compat/", import.meta.url);
const files = readdirSync(folder).toSorted();
const read = (file: string) => parseCanaryDocuments(readFileSync(new URL(file, folder), "utf8"));

test.each(files)("%s loads, and nothing in it goes unread", (file) => {
  const { documents, problems } = read(file);
  expect(problems.filter(({ isSkipped }) => !isSkipped)).toEqual([]);
  expect(documents).toHaveLength(1);
});

test("every type of the family is there", () => {
  const found = new Set(
    files.flatMap((file) =>
      read(file)
        .documents.flatMap((one) => checksOf(one))
        .map(({ type }) => type),
    ),
  );
  const ours = ["heartbeat", "domain", "multistep"];
  const all = new Set(checkKeys.map(typeUnder).filter((type) => !ours.includes(type)));
  expect([...all].filter((type) => !found.has(type))).toEqual([]);
});

test("what stands beside canaries is skipped and named", () => {
  const skipped = read("cluster.yaml").problems.filter(({ isSkipped }) => isSkipped);
  expect(
    skipped.map(({ document, message }) => [document, /kind (\w+)/.exec(message)?.[1]]),
  ).toEqual([
    [0, "Namespace"],
    [1, "Secret"],
    [3, "Deployment"],
  ]);
});
