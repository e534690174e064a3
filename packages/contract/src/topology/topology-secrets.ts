import { checkKeys } from "../canary/canary-spec.ts";
import type { WrittenSpec } from "../documents/document-format.ts";
import { jsonSchemaOf } from "../documents/json-schema.ts";
import { destinationOf } from "../secrets/destination.ts";
import {
  mapSecrets,
  type SecretDocument,
  type SecretPlace,
  secretPlacesIn,
} from "../secrets/map-secrets.ts";
import { topologySpec } from "./topology-spec.ts";

type Key = string | number;

/** Whether the keys lead to one check of a canary spec that stands in the topology. */
function isCheckAt(keys: readonly Key[], value: unknown): boolean {
  const spec = keys.findLastIndex((key) => key === "lookup" || key === "inline");
  if (spec === -1) return false;
  const inside = keys.slice(spec + 1);
  return (
    (checkKeys as readonly Key[]).includes(inside[0] ?? "") &&
    inside.length <= 2 &&
    (inside.length === 2 || !Array.isArray(value))
  );
}

/** Each check sends its secrets to the addresses that it names. */
const documentOf = (spec: WrittenSpec): SecretDocument => ({
  schema: jsonSchemaOf(topologySpec),
  value: spec,
  destinationAt: (keys, value) =>
    keys.length === 0 || keys.join() === "push" || isCheckAt(keys, value)
      ? destinationOf(value)
      : undefined,
});

/** The spec of a topology with every secret exchanged. */
export const mapTopologySecrets = (
  spec: WrittenSpec,
  replace: (place: SecretPlace) => unknown,
): WrittenSpec => mapSecrets(documentOf(spec), replace) as WrittenSpec;

export const topologySecretPlaces = (spec: WrittenSpec): SecretPlace[] =>
  secretPlacesIn(documentOf(spec));
