import sql from "sql-template-tag";
import { expect, vi } from "vitest";
import type { TestApp } from "../../../testing/app.ts";

/** For tests: documents that scrape, run by the program's own worker. */

export interface Run {
  status: string;
  success_count: number;
  details: { errors?: string[]; scrape_summary?: Record<string, unknown> };
}

export function scraperRuns(app: TestApp) {
  let made = 0;
  /** The last run of a scraper, once there are so many. */
  const ran = (id: string, times = 1): Promise<Run> =>
    vi.waitFor(
      async () => {
        const rows = await app.db.rows<Run>(sql`
          select status, success_count, details from job_history
           where resource_type = 'config_scraper' and resource_id = ${id} and name = 'Scraper' and status <> 'RUNNING'
           order by created_at desc`);
        expect(rows.length).toBeGreaterThanOrEqual(times);
        return rows[0]!;
      },
      { timeout: 30_000, interval: 50 },
    );
  async function again(id: string): Promise<void> {
    const reply = await app.admin.post(`/api/catalog/scrapers/${id}/run`, {});
    expect(reply.status, reply.text).toBe(202);
  }
  return {
    /** Applies a document with this spec; its id. */
    async apply(spec: object, name = `s${++made}`): Promise<string> {
      const document = {
        apiVersion: "configs.flanksource.com/v1",
        kind: "ScrapeConfig",
        metadata: { name },
        spec: { schedule: "@every 1h", ...spec },
      };
      const reply = await app.admin.post("/api/documents", JSON.stringify(document), {
        "content-type": "application/json",
      });
      expect(reply.status, reply.text).toBe(200);
      const row = await app.db.first<{ id: string }>(
        sql`select id from config_scrapers where name = ${name} and deleted_at is null`,
      );
      return row!.id;
    },
    ran,
    again,
    /** Has it run once more, however often it did; its result. Only the last few are kept. */
    async rerun(id: string): Promise<Run> {
      const last = await app.db.first<{ id: string }>(sql`
        select id from job_history where resource_id = ${id} and name = 'Scraper' order by created_at desc limit 1`);
      await again(id);
      return vi.waitFor(
        async () => {
          const row = await app.db.first<Run & { id: string }>(sql`
            select id, status, success_count, details from job_history
             where resource_id = ${id} and name = 'Scraper' order by created_at desc limit 1`);
          expect(row?.id).not.toBe(last?.id);
          expect(row?.status).not.toBe("RUNNING");
          return row!;
        },
        { timeout: 30_000, interval: 50 },
      );
    },
    itemsOf: async (id: string) =>
      (
        await app.admin.get(
          `/api/db/configs?scraper_id=eq.${id}&order=name&select=name,type,health,status,tags`,
        )
      ).json,
  };
}
