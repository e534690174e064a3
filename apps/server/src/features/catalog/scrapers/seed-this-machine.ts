import { consoleSource, ownSource, parseScrapeConfigs } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import { saveRow } from "#platform/documents/document-rows.ts";
import { howProgramsRun } from "#platform/outbound/how-programs-run.ts";
import { scraperKind } from "./scraper-kind.ts";

/** Row of `migration_logs` that says that this scraper was made once; deleted it stays deleted. */
const MARKER = "seed:self-catalog";
const NAME = "this-machine";

const document = JSON.stringify({ schedule: "@every 10m", host: [{ name: NAME }] });

type SeedConfig = Pick<
  Config,
  "selfCatalog" | "selfChecks" | "databaseUrl" | "checkerOnly" | "exec" | "execUids"
>;

/** Several servers share a database of others, and which machine were meant; without programs there is nothing to ask. */
const isWanted = (config: SeedConfig): boolean =>
  config.selfCatalog &&
  config.selfChecks &&
  !config.databaseUrl &&
  !config.checkerOnly &&
  howProgramsRun(config).as !== "off";

/** A scraper of this machine, where nobody has brought a document yet. It is like one that somebody made in the console. */
export async function seedThisMachine(ctx: Ctx, config: SeedConfig): Promise<boolean> {
  if (!isWanted(config)) return false;
  return ctx.tx(async (tx) => {
    const isFirst = await tx.run(sql`
      insert into migration_logs (path, hash) values (${MARKER}, '') on conflict (path) do nothing`);
    if (isFirst === 0) return false;
    const others = await tx.first(sql`
      select from config_scrapers
      union all select from canaries where source is distinct from ${ownSource} limit 1`);
    if (others) return false;
    const { documents, problems } = parseScrapeConfigs(document, {
      bare: true,
      name: NAME,
      namespace: "mainstay",
    });
    const [parsed] = documents;
    if (!parsed) throw new Error(`The scraper of this machine is wrong: ${problems[0]?.message}`);
    await saveRow(ctx, tx, scraperKind, { document: parsed, source: consoleSource });
    return true;
  });
}
