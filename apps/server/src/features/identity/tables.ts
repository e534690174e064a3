import { table, type Table } from "#platform/table.ts";

/** Identities can be looked at; they are changed by flows and by the verbs of people. Credentials do not exist outside. */
export const tables: readonly Table[] = [
  table("identities", {
    read: "identities",
    columns: [
      "id",
      "schema_id",
      "traits",
      "state",
      "state_changed_at",
      "first_sign_in_at",
      "metadata_public",
      "created_at",
      "updated_at",
    ],
  }),
];
