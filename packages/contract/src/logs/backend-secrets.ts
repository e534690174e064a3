import type { WrittenSpec } from "../documents/document-format.ts";
import { jsonSchemaOf } from "../documents/json-schema.ts";
import { destinationOf } from "../secrets/destination.ts";
import {
  mapSecrets,
  type SecretDocument,
  type SecretPlace,
  secretPlacesIn,
} from "../secrets/map-secrets.ts";
import { loggingBackendSpec } from "./backend-spec.ts";
import type { LogBackendType } from "./backend-types.ts";

/** Each backend sends its secrets to the addresses that it names. */
const documentOf = (spec: WrittenSpec): SecretDocument => ({
  schema: jsonSchemaOf(loggingBackendSpec),
  value: spec,
  destinationAt: (keys, value) =>
    keys.length === 0 || (keys[0] === "backends" && keys.length === 3)
      ? destinationOf(value)
      : undefined,
});

/** The spec of a LoggingBackend with every secret exchanged. */
export const mapLoggingBackendSecrets = (
  spec: WrittenSpec,
  replace: (place: SecretPlace) => unknown,
): WrittenSpec => mapSecrets(documentOf(spec), replace) as WrittenSpec;

export const loggingBackendSecretPlaces = (spec: WrittenSpec): SecretPlace[] =>
  secretPlacesIn(documentOf(spec));

/** The secrets of one backend, as a document of its own would hold it. */
export const logBackendSecretPlaces = (type: LogBackendType, backend: WrittenSpec): SecretPlace[] =>
  loggingBackendSecretPlaces({ backends: [{ [type]: backend }] });
