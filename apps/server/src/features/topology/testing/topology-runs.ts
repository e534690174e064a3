import sql from "sql-template-tag";
import { expect, vi } from "vitest";
import type { TestApp } from "../../../testing/app.ts";

/** For tests: topologies that are applied, and run by the program's own worker. */

export interface TopologyRun {
  status: string;
  success_count: number;
  details: {
    errors?: string[];
    warnings?: string[];
    summary?: { components: number; added: number; changed: number; removed: number };
  };
}

export interface ComponentRow {
  id: string;
  name: string;
  type: string | null;
  parent: string | null;
  status: string;
  health: string | null;
  external_id: string;
  properties: { name: string; text?: string; value?: number }[] | null;
  deleted_at: Date | null;
}

export function topologyRuns(app: TestApp) {
  let made = 0;
  const runs = (id: string) =>
    app.db.rows<TopologyRun & { id: string }>(sql`
      select id, status, success_count, details from job_history
       where resource_type = 'topology' and resource_id = ${id} and name = 'Topology'
       order by created_at desc, id desc`);
  /** The run after the one that is told, once it has ended. */
  const ranAfter = (id: string, last: string | undefined): Promise<TopologyRun> =>
    vi.waitFor(
      async () => {
        const [run] = await runs(id);
        expect(run?.status ?? "RUNNING").not.toBe("RUNNING");
        expect(run!.id).not.toBe(last);
        return run!;
      },
      { timeout: 30_000, interval: 50 },
    );
  async function save(spec: object, name: string): Promise<string> {
    const document = {
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Topology",
      metadata: { name },
      spec: { schedule: "@every 1h", ...spec },
    };
    const reply = await app.admin.post("/api/documents", JSON.stringify(document), {
      "content-type": "application/json",
    });
    expect(reply.status, reply.text).toBe(200);
    const row = await app.db.first<{ id: string }>(
      sql`select id from topologies where name = ${name} and deleted_at is null`,
    );
    return row!.id;
  }
  return {
    runs,
    ranAfter,
    /** Applies a document with this spec, and waits for the run that follows. */
    async apply(
      spec: object,
      name = `topology-${++made}`,
    ): Promise<{ id: string; run: TopologyRun }> {
      const known = await app.db.first<{ id: string }>(
        sql`select id from topologies where name = ${name} and deleted_at is null`,
      );
      const last = known && (await runs(known.id))[0]?.id;
      const id = await save(spec, name);
      return { id, run: await ranAfter(id, last) };
    },
    save,
    async again(id: string): Promise<TopologyRun> {
      const last = (await runs(id))[0]?.id;
      const reply = await app.admin.post(`/api/topology/${id}/run`, {});
      expect(reply.status, reply.text).toBe(202);
      return ranAfter(id, last);
    },
    componentsOf: (id: string): Promise<ComponentRow[]> =>
      app.db.rows<ComponentRow>(sql`
        select c.id, c.name, c.type, p.name as parent, c.status, c.health, c.external_id, c.properties, c.deleted_at
          from components c left join components p on p.id = c.parent_id
         where c.topology_id = ${id} and c.deleted_at is null order by c.path, c.name`),
  };
}
