import { useState } from "react";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { DiffView } from "@mainstay/ui/diff-view/DiffView.tsx";
import { JsonView } from "@mainstay/ui/json-view/JsonView.tsx";
import { formatLineRange, type LineRange } from "@mainstay/ui/lines/line-range.ts";
import type { EditorLanguage } from "@mainstay/ui/yaml-editor/editor-api.ts";
import { YamlEditor } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
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

/** Knows the words of a document just enough to show problems, completion and help. */
const language: EditorLanguage = {
  check: (text) => {
    const at = text.indexOf("schedule: never");
    return Promise.resolve(
      at < 0
        ? []
        : [{ from: at + 10, to: at + 15, severity: "error" as const, message: "Not a schedule" }],
    );
  },
  complete: (text, offset) => {
    const from = text.lastIndexOf("\n", offset - 1) + 1;
    const word = /\S*$/.exec(text.slice(from, offset))?.[0] ?? "";
    return Promise.resolve({
      from: offset - word.length,
      options: [
        { label: "schedule", insert: "schedule: ", detail: "text", documentation: "When it runs." },
        { label: "severity", insert: "severity: ", detail: "low | medium | high" },
      ],
    });
  },
  describe: (text, offset) => {
    const at = text.indexOf("schedule");
    return Promise.resolve(
      at >= 0 && offset >= at && offset < at + 8
        ? { from: at, to: at + 8, text: "schedule: when it runs" }
        : null,
    );
  },
};

export function Code() {
  const [selection, setSelection] = useState<LineRange | null>({ from: 5, to: 6 });
  const [text, setText] = useState(yaml.replace('"@every 30s"', "never"));
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
          linkTo={(range) => `${window.location.href}&lines=${formatLineRange(range) ?? ""}`}
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
          <YamlEditor
            label="Spec"
            value={text}
            onChange={setText}
            language={language}
            onProblems={setProblems}
          />
        </div>
        <p className="m-0 text-xs text-muted">
          {problems === 0 ? "No problems" : `${problems} problem`}
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
