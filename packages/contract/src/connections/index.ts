export type {
  ConnectionColumn,
  ConnectionField,
  ConnectionFieldKey,
  ConnectionInput,
  ConnectionType,
  ConnectionValues,
} from "./connection-type.ts";
export { connectionType, connectionTypes } from "./connection-types.ts";
export {
  connectionApiVersion,
  connectionFormat,
  type ConnectionSpec,
} from "./connection-format.ts";
export { columnPlaceholder, mapConnectionSecrets } from "./connection-secrets.ts";
export { flatten as flattenConnection, unflatten as writeConnection } from "./flat.ts";
