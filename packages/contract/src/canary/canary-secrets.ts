import { destinationOf } from "../secrets/destination.ts";
import {
  mapSecrets,
  type SecretDocument,
  type SecretPlace,
  secretPlacesIn,
} from "../secrets/map-secrets.ts";
import { listUnder } from "../documents/list-under.ts";
import { checkKeys } from "./canary-spec.ts";
import { parseImage } from "./image-reference.ts";
import { canarySpecJsonSchema } from "./json-schema.ts";

type Spec = Record<string, unknown>;

const isCheckType = (key: unknown) =>
  typeof key === "string" && (checkKeys as readonly string[]).includes(key);

/** A variable that is all there is (`Bearer ${token}`): whatever else stands beside one may be the secret. */
const variable = /^(?:(?:apikey|basic|bearer|token) )?\$\{\s*\w+\s*\}$/i;

/** Types whose image names the registry that they sign in at. */
const imageTypes = ["docker", "containerd"] as const;
const ofImage = " image=";

/** Where a check of an image sends its secrets, as destinations end with it. */
function registryOf(check: unknown): string[] {
  const { image, insecure } = (check ?? {}) as Spec;
  if (typeof image !== "string" || image === "") return [];
  const scheme = insecure === true ? "http://" : "";
  try {
    return [`${ofImage}${scheme}${parseImage(image).registry.toLowerCase()}`];
  } catch {
    // What is filled in before the run leads to itself.
    return [`${ofImage}${scheme}${image}`];
  }
}

const registriesOf = (checks: readonly unknown[]) =>
  [...new Set(checks.flatMap(registryOf))].toSorted().join("");

/** A destination as it was written before registries were a part of it. */
export const withoutRegistries = (destination: string): string => destination.split(ofImage, 1)[0]!;

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
      if (!isCheck && keys.length > 0) return undefined;
      const images = isCheck
        ? imageTypes.some((type) => type === keys[0])
          ? [value]
          : []
        : imageTypes.flatMap((type) => listUnder(spec[type]));
      return destinationOf(value) + agents + registriesOf(images);
    },
    // Of the headers of steps and of those that steps share; nothing else is filled in.
    isFilledIn: (keys, text) =>
      keys[0] === "multistep" && keys.includes("headers") && variable.test(text),
  };
}

/** The spec of a canary with every secret exchanged. */
export const mapCanarySecrets = (spec: Spec, replace: (place: SecretPlace) => unknown): Spec =>
  mapSecrets(documentOf(spec), replace) as Spec;

export const canarySecretPlaces = (spec: Spec): SecretPlace[] => secretPlacesIn(documentOf(spec));

/** The secrets of one check, as a document of its own would hold it. */
export const checkSecretPlaces = (type: string, check: Spec): SecretPlace[] =>
  canarySecretPlaces({ [type]: [check] });
