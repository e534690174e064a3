import { audit } from "#features/audit/index.ts";
import { catalog } from "#features/catalog/index.ts";
import { connections } from "#features/connections/index.ts";
import { documents } from "#features/documents/index.ts";
import { health } from "#features/health/index.ts";
import { identity } from "#features/identity/index.ts";
import { integrations } from "#features/integrations/index.ts";
import { jobs } from "#features/jobs/index.ts";
import { logs } from "#features/logs/index.ts";
import { logBackends } from "#features/log-backends/index.ts";
import type { ConsoleFeature } from "#lib/page.ts";
import { help } from "#features/help/index.ts";
import { relationships } from "#features/relationships/index.ts";
import { people } from "#features/people/index.ts";
import { security } from "#features/security/index.ts";
import { settings } from "#features/settings/index.ts";
import { snapshots } from "#features/snapshots/index.ts";
import { teams } from "#features/teams/index.ts";
import { topology } from "#features/topology/index.ts";
import { tokens } from "#features/tokens/index.ts";

/** What the console consists of, in the order of the sidebar. */
export const features: readonly ConsoleFeature[] = [
  topology,
  health,
  catalog,
  logs,
  documents,
  relationships,
  snapshots,
  connections,
  integrations,
  logBackends,
  people,
  teams,
  settings,
  tokens,
  audit,
  jobs,
  security,
  help,
  identity,
];
