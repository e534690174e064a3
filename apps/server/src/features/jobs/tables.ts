import { table } from "#platform/table.ts";

export const tables = [
  table("job_history", { read: "database" }),
  table("job_histories", { read: "database" }),
  table("job_history_names", { read: "database" }),
  table("job_history_latest_status", { read: "database" }),
  table("event_queue_summary", { read: "database" }),
  table("failed_events", { read: "database" }),
  table("event_deliveries", { read: "database" }),
];
