import { stringify } from "yaml";

/** A spec as YAML. */
export const specText = (spec: Record<string, unknown>): string =>
  stringify(spec, { lineWidth: 120, aliasDuplicateObjects: false });
