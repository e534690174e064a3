import type { Feature } from "#platform/feature.ts";
import { agents } from "#features/agents/index.ts";
import { audit } from "#features/audit/index.ts";
import { catalog } from "#features/catalog/index.ts";
import { health } from "#features/health/index.ts";
import { hosted } from "#features/hosted/index.ts";
import { identity } from "#features/identity/index.ts";
import { jobs } from "#features/jobs/index.ts";
import { live } from "#features/live/index.ts";
import { people } from "#features/people/index.ts";
import { roles } from "#features/roles/index.ts";
import { search } from "#features/search/index.ts";
import { security } from "#features/security/index.ts";
import { settings } from "#features/settings/index.ts";
import { tokens } from "#features/tokens/index.ts";
import { teams } from "#features/teams/index.ts";
import { topology } from "#features/topology/index.ts";

/** Every capability, ground before observe before respond: views are made and rows are seeded in this order. */
export const features: readonly Feature[] = [
  audit,
  live,
  roles,
  identity,
  hosted,
  people,
  teams,
  tokens,
  agents,
  jobs,
  settings,
  security,
  search,
  catalog,
  topology,
  health,
];
