import type { Feature } from "#platform/feature.ts";
import { agents } from "#features/agents/index.ts";
import { audit } from "#features/audit/index.ts";
import { catalog } from "#features/catalog/index.ts";
import { health } from "#features/health/index.ts";
import { identity } from "#features/identity/index.ts";
import { jobs } from "#features/jobs/index.ts";
import { people } from "#features/people/index.ts";
import { settings } from "#features/settings/index.ts";
import { topology } from "#features/topology/index.ts";

/** Every capability, ground before observe before respond: views are made and rows are seeded in this order. */
export const features: readonly Feature[] = [
  audit,
  identity,
  people,
  agents,
  jobs,
  settings,
  catalog,
  topology,
  health,
];
