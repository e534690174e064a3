import type { ProposalWish } from "@mainstay/contract/topology-proposal.ts";
import { toYaml } from "#platform/documents/text/write-document.ts";

/**
 * Makes components of the items that the lookup has found. Which group an item is in, what it is called and how it is
 * comes with the items each time; the document says nothing of any of them.
 */
const script = ({ by, key }: ProposalWish, types: readonly string[]) => `
const groupKey = ${by === "ownership" ? "null" : JSON.stringify(key)};
const groupOf = (item) => groupKey === null ? "" : String((item.${by === "label" ? "labels" : "tags"} || {})[groupKey]);
const known = new Map(results.map((item) => [item.id, item]));
// What an item is part of, where that is in the same group; a circle has no top.
const aboveOf = (item) => {
  const above = known.get(item.parent_id);
  return above && above.id !== item.id && groupOf(above) === groupOf(item) ? above : undefined;
};
const isNested = (item) => {
  let above = aboveOf(item);
  for (let steps = 0; above && steps < 12; steps += 1) {
    if (above.id === item.id) return false;
    above = aboveOf(above);
  }
  return above === undefined && aboveOf(item) !== undefined;
};
const states = ["healthy", "unhealthy", "warning", "unknown"];
const components = new Map(results.map((item) => [item.id, {
  name: (item.name || item.id).slice(0, 200),
  type: item.type,
  external_id: item.id,
  config_id: item.id,
  status: item.status,
  health: states.includes(item.health) ? item.health : "unknown",
  components: [],
}]));
const groups = new Map();
const put = (list, item) => {
  const one = components.get(item.id);
  const isTaken = (name) => list.some((other) => other.type === one.type && other.name === name);
  const place = item.tags && item.tags.namespace;
  if (isTaken(one.name) && place) one.name += " (" + String(place).slice(0, 40) + ")";
  if (isTaken(one.name)) one.name += " " + item.id.slice(-12);
  list.push(one);
};
for (const item of results) {
  if (isNested(item)) {
    put(components.get(item.parent_id).components, item);
    continue;
  }
  const value = groupOf(item);
  if (!groups.has(value)) groups.set(value, []);
  put(groups.get(value), item);
}
const isPlain = (value) => /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/.test(value);
JSON.stringify(groupKey === null ? groups.get("") || [] : [...groups].map(([value, list]) => ({
  name: value.slice(0, 250) || "(empty)",
  type: groupKey.slice(0, 200),
  // Everything of this value, for its changes and insights.
  configs: isPlain(value) ? [{ ${by === "label" ? "labelSelector" : "tagSelector"}: groupKey + "=" + value${types.length > 0 ? `, types: ${JSON.stringify(types)}` : ""} }] : [],
  components: list,
})));
`;

export interface WrittenProposal {
  wish: ProposalWish;
  name: string;
}

/** The document: one lookup of the catalog, so that what is new there appears by itself. */
export function writeProposal({ wish, name }: WrittenProposal): string {
  const { by, key, types = [] } = wish;
  const said =
    by === "ownership"
      ? "which item of the catalog belongs to which"
      : `the ${by} ${key} of the items of the catalog`;
  const document = {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Topology",
    metadata: { name, namespace: "default" },
    spec: {
      schedule: "@every 10m",
      text: by === "ownership" ? "Catalog" : `By ${key}`,
      components: [
        {
          name: "items",
          lookup: {
            catalog: [
              {
                name: "items",
                selector: [
                  {
                    ...(by === "tag" && { tagSelector: key }),
                    ...(by === "label" && { labelSelector: key }),
                    ...(types.length > 0 && { types }),
                    ...(by === "ownership" && types.length === 0 && { search: "*" }),
                  },
                ],
                display: { javascript: script(wish, types).trim() },
              },
            ],
          },
        },
      ],
    },
  };
  return `# Proposed by ${said}. Each run looks the catalog up anew; edit what you like.\n${toYaml(document)}`;
}
