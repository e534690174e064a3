import { type Parsed, parseDocuments } from "../documents/parse-documents.ts";
import type { TextLimits } from "../documents/read-yaml.ts";
import { topologyFormat } from "./topology-format.ts";
import type { TopologySpec } from "./topology-spec.ts";

/** Reads Topology documents from YAML or JSON. */
export const parseTopologies = (
  text: string,
  options: { file?: string; limits?: Partial<TextLimits> } = {},
): Parsed<TopologySpec> => parseDocuments(text, { ...options, formats: [topologyFormat] });
