import type { TrialComponent } from "@mainstay/contract/topology-trial.ts";
import type { TopologyResult } from "#features/topology/index.ts";

/** Properties that are told beside a component. */
const mostProperties = 5;

/** What topologies came to, each as a tree. */
export const topologyTrees = (results: readonly TopologyResult[]): string =>
  results
    .map(({ topology, count, components, errors, warnings }) =>
      [
        `${topology}: ${count} ${count === 1 ? "component" : "components"}`,
        ...components.flatMap((component) => linesOf(component, "", "")),
        ...warnings.map((warning) => `warning: ${warning}`),
        ...errors.map((error) => `error: ${error}`),
      ].join("\n"),
    )
    .join("\n\n");

function linesOf(component: TrialComponent, first: string, rest: string): string[] {
  const { components = [] } = component;
  const last = components.length - 1;
  return [
    `${first}${lineOf(component)}`,
    ...components.flatMap((child, index) =>
      index === last
        ? linesOf(child, `${rest}└── `, `${rest}    `)
        : linesOf(child, `${rest}├── `, `${rest}│   `),
    ),
  ];
}

function lineOf({ name, type, health, status, properties = [] }: TrialComponent): string {
  const said = properties
    .filter(({ text, value }) => text !== undefined || value !== undefined)
    .slice(0, mostProperties)
    .map((one) => `${one.name}=${(one.text ?? String(one.value)).split("\n", 1)[0]}`);
  return [name, type && `(${type})`, health, status, ...said].filter(Boolean).join(" ");
}
