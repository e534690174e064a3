import {
  checkSpecs,
  type DatabaseBackupSpec,
  formatDuration,
  parseDuration,
} from "@mainstay/contract";
import { googleApi } from "#platform/outbound/google/google-api.ts";
import { attempt, checkType, failed, passed } from "../check-type.ts";

interface Backup {
  id: string;
  status: string;
  end: Date;
  error?: string;
}

const text = (value: unknown) => (typeof value === "string" ? value.slice(0, 300) : "");

/** Runs that have come to an end, the newest first. */
function readBackups(items: unknown): Backup[] {
  return (Array.isArray(items) ? (items as Record<string, unknown>[]) : [])
    .map((item) => ({
      id: text(item.id),
      status: text(item.status),
      end: new Date(text(item.endTime)),
      ...(item.error !== undefined && {
        error: text((item.error as Record<string, unknown> | null)?.message),
      }),
    }))
    .filter(({ end }) => !Number.isNaN(end.getTime()))
    .toSorted((a, b) => b.end.getTime() - a.end.getTime());
}

/** Whether Cloud SQL made its backups, by its Admin API. */
export const databaseBackup = checkType<DatabaseBackupSpec>({
  type: "databaseBackup",
  spec: checkSpecs.databaseBackup,
  network: true,
  endpoint: ({ gcp }) => `${gcp.project}/${gcp.instance}`,
  async run(input) {
    const { gcp, maxAge } = input.spec;
    return attempt(input, async () => {
      const { endpoint, credentials, skipTLSVerify } = gcp.gcpConnection ?? {};
      const base = (endpoint || "https://sqladmin.googleapis.com").replace(/\/+$/, "");
      const full = base.includes("://") ? base : `https://${base}`;
      const path = `/sql/v1beta4/projects/${encodeURIComponent(gcp.project)}/instances/${encodeURIComponent(gcp.instance)}/backupRuns?maxResults=20`;
      if (!URL.canParse(`${full}${path}`))
        return failed("the endpoint is no address", { invalid: true });
      const ask = googleApi({ credentials: credentials?.value, skipTLSVerify }, input);
      const started = performance.now();
      const answer = await ask(new URL(`${full}${path}`), `list the backups of ${gcp.instance}`);
      const backups = readBackups(answer.items);
      const more = { durationMs: performance.now() - started, details: { backups } };
      const [newest] = backups;
      if (!newest) return failed(`${gcp.instance} has no backup that has come to an end`, more);
      if (newest.status !== "SUCCESSFUL")
        return failed(
          `the newest backup of ${gcp.instance} ended as ${newest.status}${newest.error ? `: ${newest.error}` : ""}`,
          more,
        );
      const ageMs = Math.max(0, Date.now() - newest.end.getTime());
      const age = formatDuration(Math.floor(ageMs / 1000) * 1000);
      if (maxAge !== undefined && ageMs > parseDuration(maxAge))
        return failed(`the newest backup is ${age} old, at most ${maxAge} wanted`, more);
      return passed(`the newest backup is ${age} old`, more);
    });
  },
});
