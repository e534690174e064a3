import type { EventDefinition } from "@mainstay/contract";
import type { SecurityFact } from "@mainstay/contract";
import type { Table } from "./table.ts";
import type { Ctx } from "./context.ts";
import type { DailyPartitions } from "./db/partitions.ts";
import type { EventHandler } from "./events/event-handler.ts";
import type { Http } from "./http/route.ts";
import type { JobDefinition, ScheduledJob } from "./jobs/job.ts";
import type { WorkerRegistry } from "./jobs/worker-registry.ts";
import type { Config } from "./config.ts";
import type { Listener } from "./events/listener.ts";
import type { Metrics } from "./metrics.ts";
import type { Readiness } from "./readiness.ts";

/** A long-running part of a feature (a runner, a listener). `stop` finishes what runs and refuses new work. */
export interface Worker {
  stop(): Promise<void>;
}

/** What the parts of a feature are given when the program starts. */
export interface Services {
  /** On the program's own behalf. */
  ctx: Ctx;
  config: Config;
  metrics: Metrics;
  /** Hears what the database announces. */
  listener: Listener;
  /** This process among all that claim slots; present whatever the server's role, because a request may claim one. */
  workers: WorkerRegistry;
  /** Parts that may stand still while the rest answers say so here. */
  readiness: Readiness;
  /** What the data API shows, of every feature. */
  tables: readonly Table[];
  /** What weakens this server, of every feature. */
  securityFacts(ctx: Ctx): Promise<SecurityFact[]>;
  /** Aborted when the server begins to stop; what would stay open for long ends then. */
  stopping: AbortSignal;
  /** The address that people type, once the server listens. */
  address(): string;
  /** The port it listens on, once it does. */
  port(): number;
}

/** A capability of the product, as the program sees it. Listed by hand in `features.ts`. */
export interface Feature {
  name: string;
  /** What the data API may show and change. */
  tables?: readonly Table[];
  /** Everything else over HTTP. */
  routes?: (http: Http, services: Services) => void;
  jobs?: readonly JobDefinition[];
  schedules?: readonly ScheduledJob[];
  /** Tables that are divided by day: their days are made, and dropped, without further ado. */
  partitions?: readonly DailyPartitions[];
  /** What others may hear of, raised by the feature's verbs or by its SQL. */
  events?: readonly EventDefinition[];
  /** What is done when something has happened, here or in a feature below. */
  on?: readonly EventHandler[];
  /** Views, functions and triggers: a file that is run again whenever its text changes, in feature order. */
  views?: URL;
  /** Rows that must exist, written in every start-up under the migration lock. */
  seed?: (ctx: Ctx, config: Config) => Promise<void>;
  /** What of this feature weakens the server as it is set up now: settings, and what people have left undone. */
  security?: (ctx: Ctx, services: Services) => Promise<SecurityFact[]>;
  /**
   * Started on servers whose role includes work, after the jobs; for slots of its own it makes a scheduler
   * (`jobs/schedules.ts`) with this process's registry and listener.
   */
  worker?: (services: Services) => Promise<Worker>;
  /** Started on every server, whatever its role. */
  always?: (services: Services) => Promise<Worker>;
}
