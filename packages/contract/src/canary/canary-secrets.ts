import { destinationOf } from "../secrets/destination.ts";
import {
  mapSecrets,
  type SecretDocument,
  type SecretPlace,
  secretPlacesIn,
} from "../secrets/map-secrets.ts";
import { checkKeys } from "./canary-spec.ts";
import { canarySpecJsonSchema } from "./json-schema.ts";

type Spec = Record<string, unknown>;

const isCheckType = (key: unknown) =>
  typeof key === "string" && (checkKeys as readonly string[]).includes(key);

/** Each check sends its secrets to the addresses it names; what the document holds for all, to the addresses of all. */
function documentOf(spec: Spec): SecretDocument {
  // Who runs the checks is handed their secrets.
  const agents = Array.isArray(spec.agentSelector) ? ` agents=${spec.agentSelector.join()}` : "";
  return {
    schema: canarySpecJsonSchema(),
    value: spec,
    destinationAt(keys, value) {
      const isCheck =
        isCheckType(keys[0]) && keys.length <= 2 && (keys.length === 2 || !Array.isArray(value));
      return isCheck || keys.length === 0 ? destinationOf(value) + agents : undefined;
    },
  };
}

/** The spec of a canary with every secret exchanged. */
export const mapCanarySecrets = (spec: Spec, replace: (place: SecretPlace) => unknown): Spec =>
  mapSecrets(documentOf(spec), replace) as Spec;

export const canarySecretPlaces = (spec: Spec): SecretPlace[] => secretPlacesIn(documentOf(spec));

/** The secrets of one check, as a document of its own would hold it. */
export const checkSecretPlaces = (type: string, check: Spec): SecretPlace[] =>
  canarySecretPlaces({ [type]: [check] });
