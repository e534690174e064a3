export {
  type ComponentCheck,
  componentFields,
  type ComponentSpec,
  componentSpec,
  type ForEachSpec,
} from "./component-spec.ts";
export {
  type ConfigQuery,
  configQuery,
  propertyFields,
  type ComponentPropertySpec,
  componentProperty,
} from "./property-spec.ts";
export {
  defaultTopologySchedule,
  topologyApiVersion,
  topologyEnvelope,
  type TopologySpec,
  topologySpec,
} from "./topology-spec.ts";
export { codeInTopology } from "./code-in-spec.ts";
export { canariesIn, componentsOf, deepestComponent, type EmbeddedCanary } from "./parts.ts";
export { parseTopologies } from "./parse-topology.ts";
export {
  languageOfExpression,
  readTemplate,
  type TopologyScript,
  topologyScripts,
} from "./scripts.ts";
export { topologyFormat } from "./topology-format.ts";
export { mapTopologySecrets, topologySecretPlaces } from "./topology-secrets.ts";
