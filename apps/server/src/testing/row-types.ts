import { createDataApi } from "@mainstay/data-api";
import { rowTypes } from "@mainstay/data-api/row-types/row-types.ts";
import type { Database } from "#platform/db/database.ts";
import type { WriteContext } from "#platform/table.ts";
import { features } from "../features.ts";

const HEAD = `// The rows of the data API as they arrive, for reading them with their types. Written by \`npm run row-types\` from the
// features' tables; a test fails when it is not current.
`;

/** The text of packages/contract/src/rows.ts for this version's tables. */
export async function contractRows(db: Database): Promise<string> {
  const tables = features.flatMap((feature) => feature.tables ?? []);
  const api = createDataApi<WriteContext>({ pool: db.pool, tables });
  await api.ready();
  const schema = api.schema();
  if (!schema) throw new Error("The data API's tables are not known after loading them.");
  return `${HEAD}${rowTypes(schema)}`;
}

export const rowsFile = new URL("../../../../packages/contract/src/rows.ts", import.meta.url);
