import { stringify } from "yaml";

/** A spec as YAML. */
export const specText = (spec: Record<string, unknown>): string =>
  stringify(spec, { lineWidth: 120, aliasDuplicateObjects: false });

/** Labels as YAML; nothing for none. */
export const labelsText = (labels: Record<string, string> | null | undefined): string =>
  labels && Object.keys(labels).length > 0 ? stringify(labels) : "";
