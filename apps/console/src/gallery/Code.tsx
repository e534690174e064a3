import { lazy, Suspense, useState } from "react";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { DiffView } from "@mainstay/ui/diff-view/DiffView.tsx";
import { JsonView } from "@mainstay/ui/json-view/JsonView.tsx";
import type { LineRange } from "@mainstay/ui/lines/line-range.ts";
import type { Schema } from "@mainstay/ui/yaml-editor/schema-help.ts";
import { YamlEditor, type YamlEditorProps } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { lineLink, linkedLines } from "./line-link.ts";
import { Show } from "./Show.tsx";

const yaml = `apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata:
  name: shop
  labels:
    team: web # who is called
spec:
  schedule: "@every 30s"
  replicas: 2
  http:
    - name: front page
      url: https://shop.example.org/a/very/long/address/that/does/not/fit/on/one/line/of/a/phone?and=parameters&more=of&them=all
      responseCodes: [200, 204]
      maxSSLExpiry: 7
      test:
        expr: |
          code == 200 && json.status == "ok"
`;
const changed = yaml
  .replace("replicas: 2", "replicas: 3")
  .replace("      maxSSLExpiry: 7\n", "")
  .replace("kind: Canary", "kind: Canary\n# applied from a file");

const schema: Schema = {
  type: "object",
  required: ["kind", "spec"],
  properties: {
    apiVersion: { type: "string", description: "The version of the format." },
    kind: { const: "Canary", description: "What the document describes." },
    metadata: {
      type: "object",
      properties: {
        name: { type: "string", description: "What it is called." },
        labels: { type: "object", additionalProperties: { type: "string" } },
      },
    },
    spec: {
      type: "object",
      properties: {
        schedule: { type: "string", description: "When it runs: cron, or @every with a time." },
        severity: { enum: ["low", "medium", "high"], description: "How bad its failure is." },
        replicas: { type: "integer", description: "How many run at once." },
        http: {
          type: "array",
          description: "Addresses that are asked.",
          items: {
            type: "object",
            required: ["url"],
            properties: {
              name: { type: "string" },
              url: { type: "string", description: "What is asked." },
              responseCodes: { type: "array", items: { type: "integer" } },
              maxSSLExpiry: { type: "integer" },
              test: { type: "object", properties: { expr: { type: "string" } } },
            },
          },
        },
      },
    },
  },
};

const value = {
  kind: "Pod",
  metadata: { name: "web-6f7d", labels: { app: "web", "app.kubernetes.io/part-of": "shop" } },
  spec: {
    containers: [
      { name: "web", image: "registry/web:1.2.3", ports: [{ containerPort: 8080 }], ready: true },
      { name: "sidecar", image: "registry/sidecar:9", ports: [], ready: false },
    ],
    nodeName: null,
    priority: 10.5,
  },
  status: {},
  many: Array.from({ length: 5_000 }, (_, index) => ({ index, even: index % 2 === 0 })),
};

/** The machinery of schemas is fetched with the editor. */
const Editor = lazy(async () => {
  const { schemaLanguage } = await import("@mainstay/ui/yaml-editor/schema-language.ts");
  const language = schemaLanguage(schema);
  return {
    default: (props: Omit<YamlEditorProps, "language">) => (
      <YamlEditor {...props} language={language} />
    ),
  };
});

export function Code() {
  const [selection, setSelection] = useState<LineRange | null>(
    () => linkedLines() ?? { from: 5, to: 6 },
  );
  const [text, setText] = useState(yaml.replace("replicas: 2", "replicas: two"));
  const [problems, setProblems] = useState(0);
  return (
    <>
      <Show title="Code view">
        <CodeView
          label="Canary"
          language="yaml"
          text={yaml}
          selection={selection}
          onSelect={setSelection}
          linkTo={lineLink}
        />
        <CodeView
          label="One line"
          language="json"
          text='{"status": "ok", "count": 3, "next": null}'
        />
        <CodeView
          label="A long text"
          language="text"
          text={Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`).join("\n")}
        />
      </Show>
      <Show title="Diff view">
        <DiffView
          label="Change of shop"
          language="yaml"
          before={yaml}
          after={changed}
          beforeLabel="Yesterday"
          afterLabel="Today"
        />
        <DiffView label="No change" language="yaml" before="a: 1" after="a: 1" />
      </Show>
      <Show title="YAML editor">
        <div className="flex h-72 flex-col">
          <Suspense>
            <Editor label="Spec" value={text} onChange={setText} onProblems={setProblems} />
          </Suspense>
        </div>
        <p className="m-0 text-xs text-muted">
          {problems === 0 ? "No problems" : problems === 1 ? "1 problem" : `${problems} problems`}
        </p>
        <div className="flex h-40 flex-col">
          <YamlEditor label="Read only spec" value={yaml} onChange={setText} readOnly />
        </div>
      </Show>
      <Show title="JSON view">
        <div className="flex h-96 flex-col">
          <JsonView label="Pod" value={value} />
        </div>
      </Show>
    </>
  );
}
