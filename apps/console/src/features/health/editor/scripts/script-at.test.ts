import { expect, test } from "vitest";
import { scriptAt } from "./script-at.ts";

const text = `kind: Canary
metadata:
  name: shop
spec:
  http:
    - name: front
      url: https://example.com
      test:
        expr: code == 200
      display:
        template: |
          took {{ .duration }}
          ms
      metrics:
        - name: size
          value: size(content)
          labels:
            - name: host
              valueExpr: check.name
  webhook:
    name: hook
    transform:
      javascript: results
---
metadata: { name: other, namespace: web }
spec: { tcp: [{ name: t, test: { jsonPath: "$.a" } }] }
`;
const at = (part: string) => scriptAt(text, text.indexOf(part) + 1);

test.each([
  ["code ==", { language: "cel", text: "code == 200", name: "test", checkName: "front" }],
  ["ms", { language: "gotemplate", text: "took {{ .duration }}\nms\n", name: "display" }],
  ["size(", { language: "cel", text: "size(content)", name: "metrics.0", checkType: "http" }],
  ["check.name", { language: "cel", text: "check.name", name: "metrics.0" }],
  [
    "results",
    { language: "javascript", name: "transform", checkType: "webhook", checkName: "hook" },
  ],
  ["$.a", { language: "jsonpath", canary: { name: "other", namespace: "web" } }],
])("%s is a script", (part, script) => expect(at(part)).toMatchObject(script));

test.each(["https://example.com", "Canary", "host", "name: shop", "name: t"])(
  "%s is none",
  (part) => expect(at(part)).toBeUndefined(),
);

test("what cannot be read is told apart from what holds no script", () => {
  expect(scriptAt("spec: [", 3)).toBe("unreadable");
  expect(scriptAt("", 0)).toBeUndefined();
});
