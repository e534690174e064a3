import type { Feature } from "#platform/feature.ts";
import { agents } from "#features/agents/index.ts";
import { audit } from "#features/audit/index.ts";
import { catalog } from "#features/catalog/index.ts";
import { connections } from "#features/connections/index.ts";
import { documents } from "#features/documents/index.ts";
import { health } from "#features/health/index.ts";
import { hosted } from "#features/hosted/index.ts";
import { identity } from "#features/identity/index.ts";
import { integrations } from "#features/integrations/index.ts";
import { jobs } from "#features/jobs/index.ts";
import { live } from "#features/live/index.ts";
import { logs } from "#features/logs/index.ts";
import { people } from "#features/people/index.ts";
import { roles } from "#features/roles/index.ts";
import { search } from "#features/search/index.ts";
import { security } from "#features/security/index.ts";
import { settings } from "#features/settings/index.ts";
import { tokens } from "#features/tokens/index.ts";
import { teams } from "#features/teams/index.ts";
import { snapshots } from "#features/snapshots/index.ts";
import { topology } from "#features/topology/index.ts";

/**
 * Every capability, by tier: one imports those of its own tier and below. In the ground, of which all the others are
 * users, it imports only those that stand before it.
 */
const tiers = {
  ground: [
    audit,
    live,
    roles,
    teams,
    identity,
    hosted,
    people,
    tokens,
    agents,
    jobs,
    settings,
    security,
    search,
    documents,
    connections,
  ],
  observe: [catalog, health, topology, logs, integrations, snapshots],
  respond: [],
} as const satisfies Readonly<Record<string, readonly Feature[]>>;

/** In the order in which views are made and rows are seeded. */
export const features: readonly Feature[] = [...tiers.ground, ...tiers.observe, ...tiers.respond];
