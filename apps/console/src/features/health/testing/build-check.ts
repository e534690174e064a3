import type { CheckSummary } from "@mainstay/contract/health.ts";

let built = 0;

/** A healthy check, with what the test says about it. */
export function buildCheck(parts: Partial<CheckSummary> = {}): CheckSummary {
  built += 1;
  const now = new Date().toISOString();
  return {
    id: `00000000-0000-4000-8000-${String(built).padStart(12, "0")}`,
    canary_id: "00000000-0000-4000-9000-000000000001",
    canary_name: "web",
    canary_namespace: "default",
    agent_id: "00000000-0000-0000-0000-000000000000",
    name: `check-${built}`,
    namespace: "default",
    type: "http",
    status: "healthy",
    labels: {},
    created_at: now,
    updated_at: now,
    uptime: { passed: 10, failed: 0 },
    latency: { rolling1h: 12, p95: 20, p97: 22, p99: 25 },
    recent: [],
    ...parts,
  };
}
