import { canaryFormat } from "../canary/canary-format.ts";
import { canarySpec } from "../canary/canary-spec.ts";
import type { JudgedParts } from "../documents/document-format.ts";
import { checkValue, type Finding } from "../documents/findings.ts";
import { jsonSchemaOf } from "../documents/json-schema.ts";
import { findWrongReferencesBy } from "../documents/value-references.ts";
import { parseSchedule } from "../schedule.ts";
import { componentSpec } from "./component-spec.ts";
import {
  canariesIn,
  componentsOf,
  type EmbeddedCanary,
  deepestComponent,
  isMapping,
  propertiesIn,
} from "./parts.ts";
import { readTemplate } from "./scripts.ts";
import { type TopologySpec, topologySpec } from "./topology-spec.ts";

type Path = readonly (string | number)[];

/** Components that one document writes down; lookups may find more. */
export const mostWrittenComponents = 5000;
/** The shortest time between two runs of a topology, in milliseconds. */
export const shortestTopologyMs = 9_000;

const finding =
  (severity: Finding["severity"]) =>
  (path: Path, message: string): Finding => ({ severity, path: ["spec", ...path], message });
const refusal = finding("error");
const warning = finding("warning");

/** What the schema of a topology cannot say: its components hold one another, and canary specs. */
export function judgeTopology({ spec, source }: JudgedParts<TopologySpec>): Finding[] {
  const components = componentsOf(source);
  const tooDeep = components.find(({ depth }) => depth > deepestComponent);
  if (tooDeep)
    return [
      refusal(
        tooDeep.path,
        `Components stand within one another ${deepestComponent} times at most.`,
      ),
    ];
  if (components.length > mostWrittenComponents)
    return [
      refusal(
        ["components"],
        `There are ${components.length} components, at most ${mostWrittenComponents} fit in one document.`,
      ),
    ];
  return [
    ...(components.length === 0 && !spec.configs
      ? [warning([], "There are no components, so there is nothing but the topology itself.")]
      : []),
    ...findTooOften(spec),
    // Those that stand right in the document are part of its schema.
    ...components.flatMap(({ path, component, depth }) => [
      ...(depth === 1
        ? []
        : within(path, checkValue(componentSpec, componentSchema(), component).findings)),
      ...judgeComponent(path, component),
    ]),
    ...propertiesIn(source).flatMap(({ path, value }) => judgeProperty(path, value)),
    ...canariesIn(source).flatMap(judgeCanary),
    ...findWrongReferencesBy(jsonSchemaOf(topologySpec), source, ["spec"]),
  ];
}

const componentSchema = () => jsonSchemaOf(componentSpec);

const within = (path: Path, findings: readonly Finding[]): Finding[] =>
  findings.map((found) => ({ ...found, path: ["spec", ...path, ...found.path] }));

function findTooOften({ schedule }: TopologySpec): Finding[] {
  if (schedule === undefined) return [];
  const parsed = parseSchedule(schedule);
  return parsed.kind === "every" && parsed.everyMs < shortestTopologyMs
    ? [
        refusal(
          ["schedule"],
          `This is too often: every ${(shortestTopologyMs + 1000) / 1000}s at most.`,
        ),
      ]
    : [];
}

function judgeComponent(path: Path, component: Record<string, unknown>): Finding[] {
  const { lookup, forEach, components, name } = component;
  return [
    ...(lookup === undefined && (name === undefined || name === "")
      ? [refusal(path, '"name" is missing: a component that nothing finds needs one.')]
      : []),
    ...(lookup === undefined && forEach !== undefined
      ? [warning([...path, "forEach"], "There is no lookup whose results would get this.")]
      : []),
    ...(lookup !== undefined && Array.isArray(components)
      ? [
          warning(
            [...path, "components"],
            "Of a component with a lookup these are not read: forEach says what each result gets.",
          ),
        ]
      : []),
  ];
}

function judgeProperty(path: Path, property: Record<string, unknown>): Finding[] {
  const { name, label, icon, type, lookup, configLookup } = property;
  const isNamed = [name, label, icon, type].some((one) => typeof one === "string" && one !== "");
  if (!isNamed && lookup === undefined)
    return [
      refusal(path, '"name" is missing: a property needs one, or else a label, an icon or a type.'),
    ];
  if (!isMapping(configLookup)) return [];
  return [
    ...(configLookup.config === undefined
      ? [refusal([...path, "configLookup"], '"config" is missing: it says which item is meant.')]
      : []),
    ...(configLookup.field === undefined && !readTemplate(configLookup.display)
      ? [
          refusal(
            [...path, "configLookup"],
            "Nothing says what is taken from the item: a field, or a display.",
          ),
        ]
      : []),
  ];
}

/** What belongs to each check, and is often written beside the lists of them. */
const ofChecks = ["display", "test", "transform", "kubeconfig", "connection"];

function judgeCanary({ path, spec: source, use }: EmbeddedCanary): Finding[] {
  const checked = checkValue(canarySpec, jsonSchemaOf(canarySpec), source);
  const astray = ofChecks.filter((key) => key in source);
  const found = [
    ...within(
      path,
      checked.findings.filter(({ path: at }) => !(at.length === 1 && astray.includes(`${at[0]}`))),
    ),
    ...astray.map((key) =>
      warning([...path, key], `"${key}" belongs in each check of the list; here it is ignored.`),
    ),
    ...(use === "lookup" && Object.keys(source).length === 0
      ? [warning(path, "There are no checks here, so nothing is found.")]
      : []),
  ];
  if (!checked.value) return found;
  const judged = canaryFormat.judge!({ metadata: {}, spec: checked.value, source });
  return [
    ...found,
    // Its findings lead from a document on, not from a spec.
    ...judged.map((one) => ({ ...one, path: ["spec", ...path, ...one.path.slice(1)] })),
  ];
}
