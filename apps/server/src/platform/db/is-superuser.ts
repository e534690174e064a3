import sql from "sql-template-tag";
import type { Queryable } from "./database.ts";

/** Whether the database's user may do everything there: run programs and read files on the database's machine, too. */
export async function isSuperuser(db: Queryable): Promise<boolean> {
  const row = await db.first<{ super: boolean }>(
    sql`select rolsuper as super from pg_roles where rolname = current_user`,
  );
  return row?.super ?? false;
}
