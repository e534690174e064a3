import { expect, test } from "vitest";
import { readCanaryForm } from "./read-canary-form.ts";

const spec = "interval: 30\nhttp:\n  - name: a\n    url: https://example.com\n";
const read = (parts: { spec?: string; labels?: string }) =>
  readCanaryForm({ name: "web", namespace: "default", spec, labels: "", ...parts });

test("a good form is a row", () => {
  expect(read({ labels: "team: red\ntier: 1\ncore: true\n" })).toEqual({
    labels: { team: "red", tier: "1", core: "true" },
    spec: { interval: 30, http: [{ name: "a", url: "https://example.com" }] },
  });
});

test.each([
  [{ labels: "- a" }, "labels"],
  [{ labels: "a: [1]" }, "labels"],
  [{ labels: "a: b: c" }, "labels"],
  [{ spec: "" }, ""],
  [{ spec: "http: 3" }, "http"],
  [{ spec: `${spec}---\n${spec}` }, ""],
])("%j is refused at %j", (parts, path) => {
  const result = read(parts);
  expect("problems" in result && result.problems.map((problem) => problem.path)).toContain(path);
});

test("everything that is wrong is said at once", () => {
  const result = read({ labels: "[", spec: "http: 3\ntcp: 4" });
  expect("problems" in result && result.problems.length).toBeGreaterThanOrEqual(3);
});
