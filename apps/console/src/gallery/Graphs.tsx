import { lazy, Suspense, useState } from "react";
import { SegmentedField } from "@mainstay/ui/fields/SegmentedField.tsx";
import {
  cardsAtOnce,
  type GraphEdge,
  type GraphLook,
  type GraphNode,
} from "@mainstay/ui/graph-view/graph.ts";
import { Show } from "./Show.tsx";

const GraphView = lazy(() =>
  import("@mainstay/ui/graph-view/GraphView.tsx").then((module) => ({ default: module.GraphView })),
);

interface Drawn {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

const node = (id: string, kind: string, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  kind,
  title: id,
  href: `#${id}`,
  tone: "healthy",
  toneLabel: "healthy",
  tags: ["web", "production"],
  ...more,
});

/** A group that is folded, one that is open by itself, a circle, soft ties, what leads to it, and what hangs on nothing. */
function someThings(): Drawn {
  const pods = Array.from({ length: 14 }, (_, index) =>
    node(`checkout-7f9c-${index}`, "Kubernetes::Pod", {
      note: `${index * 3} changes`,
      ...(index === 4 && { tone: "unhealthy", toneLabel: "CrashLoopBackOff" }),
      ...(index === 9 && { tone: "warning", toneLabel: "Pending" }),
    }),
  );
  const volumes = ["data-0", "data-1", "data-2"].map((id) =>
    node(id, "AWS::EBS::Volume", { tone: "unknown", toneLabel: "unknown" }),
  );
  return {
    nodes: [
      node("production", "Kubernetes::Cluster", { tags: [] }),
      node("web", "Kubernetes::Namespace", {
        note: "112 changes",
        tone: "warning",
        toneLabel: "warning",
      }),
      node("checkout-with-a-name-that-is-longer-than-there-is-room", "Kubernetes::Deployment"),
      node("checkout-7f9c", "Kubernetes::ReplicaSet"),
      ...pods,
      ...volumes,
      node("checkout", "Kubernetes::Service"),
      node("ledger", "AWS::RDS::DBInstance", { tone: "unhealthy", toneLabel: "unhealthy" }),
      node("payments-role", "AWS::IAM::Role", { tone: undefined, isGone: true, tags: [] }),
      node("left-over", "Kubernetes::ConfigMap", { tone: undefined }),
    ],
    edges: [
      { from: "production", to: "web" },
      { from: "web", to: "checkout-with-a-name-that-is-longer-than-there-is-room" },
      { from: "web", to: "checkout", label: "Namespace" },
      { from: "checkout-with-a-name-that-is-longer-than-there-is-room", to: "checkout-7f9c" },
      ...pods.map(({ id }) => ({ from: "checkout-7f9c", to: id })),
      ...volumes.map(({ id }) => ({ from: "ledger", to: id })),
      { from: "checkout", to: "ledger", isSoft: true, label: "ReadsFrom" },
      { from: "ledger", to: "payments-role", isSoft: true },
      { from: "payments-role", to: "checkout", isSoft: true, label: "MayWrite" },
    ],
  };
}

const kinds = ["Pod", "Service", "Secret", "ConfigMap", "Job", "Ingress", "Role", "Volume"];
const tones = ["healthy", "healthy", "healthy", "warning", "unhealthy", "unknown"] as const;

/** So many things, each tied to one or two before it; kinds change so often that few of them make groups. */
function manyThings(count: number): Drawn {
  const nodes = Array.from({ length: count }, (_, index) => {
    const tone = tones[(index * 7919) % tones.length] ?? "healthy";
    return node(`thing-${index}`, `Kind::${kinds[index % kinds.length]}${index % 97}`, {
      tone,
      toneLabel: tone,
      note: `${index % 40} changes`,
    });
  });
  const edges = nodes
    .slice(1)
    .flatMap(({ id }, index): GraphEdge[] => [
      { from: `thing-${Math.floor(index / 4)}`, to: id },
      ...(index % 3 === 0
        ? [{ from: `thing-${Math.floor((index * 3) / 11)}`, to: id, isSoft: true }]
        : []),
    ]);
  return { nodes, edges };
}

const sizes = {
  some: { label: "A few", root: "production", make: someThings },
  thousand: { label: "1,000", root: "thing-0", make: () => manyThings(1_000) },
  most: { label: "20,000", root: "thing-0", make: () => manyThings(20_000) },
} as const;
type Size = keyof typeof sizes;
const isSize = (text: string): text is Size => text in sizes;

export function Graphs() {
  const [size, setSize] = useState<Size>("some");
  const [drawn, setDrawn] = useState(someThings);
  const [opened, setOpened] = useState("");
  const [look, setLook] = useState<GraphLook>({
    direction: "right",
    edgeStyle: "bezier",
    toggled: new Set(),
    most: cardsAtOnce,
  });
  const [change] = useState(
    () => (changes: Partial<GraphLook>) => setLook((now) => ({ ...now, ...changes })),
  );
  const [open] = useState(
    () =>
      ({ title }: GraphNode) =>
        setOpened(title),
  );
  return (
    <Show title="Graph">
      <SegmentedField
        label="Size"
        value={size}
        options={Object.entries(sizes).map(([value, { label }]) => ({ value, label }))}
        onChange={(value) => {
          if (!isSize(value)) return;
          setSize(value);
          setDrawn(sizes[value].make());
          setLook((now) => ({ ...now, toggled: new Set(), most: cardsAtOnce }));
        }}
      />
      <div className="flex h-140 flex-col border">
        <Suspense>
          <GraphView
            key={size}
            label="Things"
            nodes={drawn.nodes}
            edges={drawn.edges}
            root={sizes[size].root}
            look={look}
            onLook={change}
            onOpen={open}
            pictureName="things"
          />
        </Suspense>
      </div>
      <p role="status" className="m-0 min-h-5 text-sm">
        {opened !== "" && `Opened ${opened}`}
      </p>
    </Show>
  );
}
