export type {
  ConnectionColumn,
  ConnectionField,
  ConnectionFieldKey,
  ConnectionInput,
  ConnectionType,
  ConnectionValues,
} from "./connection-type.ts";
export { connectionType, connectionTypes } from "./connection-types.ts";
