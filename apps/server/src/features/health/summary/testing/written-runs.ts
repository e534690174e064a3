import sql from "sql-template-tag";
import type { TestApp } from "../../../../testing/app.ts";
import { writeResults } from "../../results/write-results.ts";

export interface Run {
  time: number;
  duration: number;
  pass: boolean;
  error?: string;
  failuresNeeded?: number;
}

let made = 0;

/** A check that never runs by itself. */
export async function makeRunCheck(
  app: TestApp,
  labels: Record<string, string> = {},
): Promise<{ id: string; canaryId: string }> {
  const reply = await app.admin.post(
    "/api/db/canaries",
    {
      name: `s${++made}`,
      labels,
      spec: { schedule: "@never", tcp: [{ name: "t", endpoint: "localhost:1" }] },
    },
    { prefer: "return=representation" },
  );
  const canaryId = reply.json[0].id as string;
  const check = await app.db.first<{ id: string }>(
    sql`select id from checks where canary_id = ${canaryId}`,
  );
  return { id: check!.id, canaryId };
}

/** Writes runs as the runner does, in the order in which they are given. */
export async function writeRuns(app: TestApp, id: string, runs: readonly Run[]): Promise<void> {
  for (const { time, duration, pass, error, failuresNeeded = 1 } of runs) {
    await app.db.transaction((tx) =>
      writeResults(tx, [
        {
          checkId: id,
          time: new Date(time),
          durationMs: duration,
          pass,
          invalid: false,
          error,
          failuresNeeded,
          successesNeeded: 1,
        },
      ]),
    );
  }
  await app.db.run(
    sql`insert into health_versions (source) values ('test') on conflict (source) do update set version = health_versions.version + 1`,
  );
}
