import type { Services, Worker } from "#platform/feature.ts";
import { type Claim, claimNow, releaseSql } from "#platform/jobs/claims.ts";
import type { Log } from "#platform/log.ts";
import { recordSkipped } from "#platform/jobs/history.ts";
import { createScheduler } from "#platform/jobs/schedules.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import { differences } from "../changes/differences.ts";
import { prepareParts, prepareScraper } from "./prepare-scraper.ts";
import { followScraper, runScraper, type RunScraperParts } from "./run-scraper.ts";
import { FOLLOW_SLOTS, SCRAPER_SLOTS } from "./scraper-kind.ts";

/** Scrapes of one server at a time; each holds a batch of items in memory. */
const concurrency = 4;
/** What a scrape may still take when the server stops; the next server runs it again. */
const stopGraceMs = 2_000;

/** Scrapes what is due by the clock, or on demand: one scrape of a document at a time, on any number of servers. */
export async function startScraperRunner(services: Services): Promise<Worker> {
  const { ctx, config, listener, workers } = services;
  const { db } = ctx;
  const log = ctx.log.child({ source: "scraper" });
  const connector = openConnector(config);
  const parts = prepareParts(ctx);

  const partsOf = ({ signal }: Claim, runLog: Log): RunScraperParts => ({
    ctx: ctx.with({ log: runLog, signal }),
    connector,
    log: runLog,
    signal,
    prepare: (scraper, document, until) => prepareScraper(scraper, document, until, parts),
  });

  async function runOne(claim: Claim): Promise<void> {
    const runLog = log.child({ scraper: claim.key });
    try {
      await runScraper(claim.key, partsOf(claim, runLog));
    } catch (error) {
      runLog.error({ err: error }, "a scrape failed");
    }
  }

  /** While nobody scrapes it: what is scraped needs not be followed. */
  async function followOne(followed: Claim): Promise<void> {
    const { key, signal } = followed;
    const runLog = log.child({ scraper: key });
    const claim = await claimNow(db, {
      kind: SCRAPER_SLOTS,
      key,
      workerId: workers.id,
      signal,
    });
    if (!claim) return;
    try {
      await followScraper(key, partsOf(claim, runLog));
    } catch (error) {
      runLog.error({ err: error }, "what has happened since a scrape could not be followed");
    } finally {
      await db.run(releaseSql(workers.id, [claim]));
    }
  }

  const scheduler = createScheduler({
    db,
    log,
    listener,
    workers,
    stopGraceMs,
    kinds: [
      {
        kind: FOLLOW_SLOTS,
        concurrency,
        run: async (claims, release) => {
          await Promise.all(claims.map((claim) => followOne(claim).then(() => release(claim))));
        },
      },
      {
        kind: SCRAPER_SLOTS,
        concurrency,
        run: async (claims, release) => {
          await Promise.all(claims.map((claim) => runOne(claim).then(() => release(claim))));
        },
        skipped: async (slots) => {
          for (const { key, slot } of slots)
            await recordSkipped(
              db,
              {
                name: "Scraper",
                resource: { type: "config_scraper", id: key },
                retention: "balanced",
              },
              slot,
            );
        },
      },
    ],
  });
  await scheduler.start();
  return {
    async stop() {
      await scheduler.stop();
      await ctx.service(differences).close();
    },
  };
}
