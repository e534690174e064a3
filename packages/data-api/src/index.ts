export {
  type Connection,
  type Pool,
  type Queryable,
  type StatementSettings,
} from "./connection.ts";
export * from "./declare.ts";
export { leanPool } from "./driver.ts";
export { createDataApi, type DataApi, type DataApiOptions } from "./engine.ts";
export type { DataApiRequest } from "./request.ts";
export type { DataApiResponse } from "./respond.ts";
export { openApiDocument, type Place, type Usable } from "./openapi/document.ts";
export { usableBy } from "./openapi/usable.ts";
export { ApiError } from "./errors.ts";
export { respondToRefusal } from "./respond.ts";
