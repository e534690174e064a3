import {
  codeInScraper,
  parseDuration,
  type Retention,
  scrapeConfigSpec,
  scrapersOf,
  type Scraper,
  type WrittenSpec,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Log } from "#platform/log.ts";
import { recordRun } from "#platform/jobs/history.ts";
import { runLimited } from "#platform/jobs/limited-run.ts";
import type { JobReport } from "#platform/jobs/job.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { codeOff } from "#platform/require-code.ts";
import type { Sealed } from "#platform/sealing/sealed.ts";
import type { Opened } from "#platform/sealing/sealer.ts";
import { itemFinder } from "../find-items.ts";
import { catalogEvaluator } from "../scripts/catalog-evaluator.ts";
import { differences } from "../changes/differences.ts";
import { ScrapeSave } from "../saving/scrape-save.ts";
import { scrapeDocument, type PreparedScraper } from "../scraping/scrape-document.ts";
import { isNothing } from "../scraping/process-found.ts";
import {
  dropPositions,
  type Positions,
  postpone,
  readPositions,
  readStood,
  writePositions,
} from "./positions.ts";
import { scraperSealer } from "./scraper-kind.ts";

/** A scrape that says no time of its own is given up after this long. */
const defaultTimeoutMs = 3600_000;
/** What is followed is a look at a time. Its name is that of the reference. */
const followTimeoutMs = 300_000;
const followRun = "ConsumeKubernetesWatchResources";

interface ScraperRow {
  id: string;
  name: string;
  namespace: string;
  spec: WrittenSpec;
  sealed: Sealed;
  /** To the microsecond, by which the document is known to be the same afterwards. */
  updated_at: string | null;
}

export interface RunScraperParts {
  ctx: Ctx;
  connector: Connector;
  log: Log;
  /** Aborted when the claim has gone, or the server stops. */
  signal: AbortSignal;
  prepare(
    scraper: Scraper,
    document: { id: string; name: string; namespace: string },
    signal: AbortSignal,
  ): Promise<PreparedScraper>;
}

const findRow = (ctx: Ctx, id: string): Promise<ScraperRow | undefined> =>
  ctx.db.first<ScraperRow>(sql`
    select id, name, namespace, spec, sealed, updated_at::text from config_scrapers where id = ${id} and deleted_at is null`);

/**
 * Reads what has happened since a row of `config_scrapers` was scraped, where its scrapers can tell it. Nothing is left
 * in the job history when nothing has happened.
 */
export async function followScraper(id: string, parts: RunScraperParts): Promise<void> {
  const { ctx } = parts;
  const from = await readPositions(ctx.db, id);
  const row = from.size > 0 ? await findRow(ctx, id) : undefined;
  if (!row) return;
  const began = ctx.clock.now();
  const opened = scraperSealer(ctx.config).open(row.spec, row.sealed);
  const { data } = scrapeConfigSpec.safeParse(opened.document);
  if (!data) return;
  const limits = { name: followRun, timeoutMs: followTimeoutMs, stop: parts.signal };
  let took = 0;
  const report = await runLimited(limits, (signal) =>
    scrape(
      { ...row, opened },
      { ...parts, signal },
      {
        isFull: data.full === true,
        retention: data.retention,
        from,
        progress: () => Promise.resolve(void (took += 1)),
      },
    ),
  );
  if (took === 0 && report.errors.length === 0) return;
  const run = {
    name: followRun,
    resource: { type: "config_scraper", id },
    retention: "few",
    began,
  } as const;
  await recordRun(ctx.db, run, () => Promise.resolve(report));
}

/** Scrapes what a row of `config_scrapers` says, and leaves a row in the job history. Nothing where there is none. */
export async function runScraper(id: string, parts: RunScraperParts): Promise<void> {
  const { ctx, log } = parts;
  const row = await findRow(ctx, id);
  if (!row) return;
  const opened = scraperSealer(ctx.config).open(row.spec, row.sealed);
  const parsed = scrapeConfigSpec.safeParse(opened.document);
  const run = {
    name: "Scraper",
    resource: { type: "config_scraper", id: row.id },
    retention: "balanced",
  } as const;
  await recordRun(ctx.db, run, async (progress) => {
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue?.path.join(".") ?? "";
      return {
        successes: 0,
        errors: [`The document has errors: ${where ? `${where}: ` : ""}${issue?.message ?? ""}`],
      };
    }
    const { timeout, full = false, retention } = parsed.data;
    const timeoutMs = timeout === undefined ? defaultTimeoutMs : parseDuration(timeout);
    const limits = { name: "Scraper", timeoutMs, stop: parts.signal };
    return runLimited(limits, (signal) =>
      scrape({ ...row, opened }, { ...parts, log, signal }, { isFull: full, retention, progress }),
    );
  });
}

/** Why a scraper of a stored document is not run: what it reaches for is off here, or its secrets cannot be read. */
function whyHeld(
  ctx: Ctx,
  { failures }: Opened,
  { type, spec, path }: Scraper,
): string | undefined {
  const off = codeOff(ctx.config);
  if (off !== undefined && codeInScraper(type, spec) !== undefined) return off;
  const failure = failures.find(({ place: { keys } }) =>
    path.every((key, index) => keys[index] === key),
  );
  return failure && `The stored value of ${failure.place.path} cannot be used: ${failure.message}`;
}

async function scrape(
  row: ScraperRow & { opened: Opened },
  { ctx, connector, log, signal, prepare }: RunScraperParts,
  {
    isFull,
    retention,
    from,
    progress,
  }: {
    isFull: boolean;
    retention: Retention | undefined;
    /** Only what has happened since. */
    from?: Positions;
    progress(said: { successes: number; details?: Record<string, unknown> }): Promise<void>;
  },
): Promise<JobReport> {
  const document = { id: row.id, name: row.name, namespace: row.namespace };
  const began = await ctx.db.first<{ now: Date }>(sql`select now()`);
  const now = began?.now ?? ctx.clock.now();
  const save = new ScrapeSave({
    db: ctx.db,
    scraperId: row.id,
    now,
    differences: ctx.service(differences),
    retention,
  });
  const scrapers = scrapersOf(row.opened.document);
  const positions: Positions = new Map();
  const stood = from ? undefined : await readStood(ctx.db, row.id);
  const seen = await scrapeDocument({
    document,
    scrapers,
    isFull,
    ...(from && { from }),
    ...(stood && { stood }),
    stands: (scraper, position) => void positions.set(scraper, position),
    async prepare(scraper) {
      const held = whyHeld(ctx, row.opened, scraper);
      return held === undefined ? prepare(scraper, document, signal) : { ok: false, error: held };
    },
    connector,
    evaluator: ctx.service(catalogEvaluator),
    items: ctx.service(itemFinder),
    signal,
    now,
    log,
    async take(processed) {
      if (isNothing(processed)) return;
      await save.add(processed);
      await progress({
        successes: save.summary.seen,
        details: { scrape_summary: save.summary.toJSON() },
      });
    },
  });
  const summary = await save.finish(from ? { isComplete: false } : seen);
  // Where they stand is kept when all that they had told before is.
  await writePositions(ctx.db, row, positions);
  if (from) {
    const behind = [...from.keys()].filter((scraper) => !positions.has(scraper));
    await postpone(ctx.db, row.id, behind);
  } else await dropPositions(ctx.db, row.id, { except: scrapers.map(({ name }) => name) });
  const { errors, errorCount } = summary;
  const left = errorCount - errors.length;
  return {
    successes: summary.seen,
    errors: left > 0 ? [...errors, `and ${left} more`] : [...errors],
    details: { scrape_summary: summary.toJSON() },
  };
}
