import type { EventDefinition } from "@mainstay/contract";
import type { Resource, SecurityFact } from "@mainstay/contract";
import type { RowFunction, Table } from "./table.ts";
import type { Ctx } from "./context.ts";
import type { DeclaredPartitions } from "./db/partitions.ts";
import type { ChangeListener, Changes } from "./events/changes.ts";
import type { EventHandler } from "./events/event-handler.ts";
import type { Authentication } from "./http/authenticator.ts";
import type { OtherOrigins } from "./http/other-origins.ts";
import type { Http } from "./http/route.ts";
import type { JobDefinition, ScheduledJob } from "./jobs/job.ts";
import type { WorkerRegistry } from "./jobs/worker-registry.ts";
import type { Config, Settings } from "./config.ts";
import type { DocumentKind } from "./documents/document-kind.ts";
import type { EncryptedStore } from "./encrypted-stores.ts";
import type { Listener } from "./events/listener.ts";
import type { LogLines } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Readiness } from "./readiness.ts";
import type { ResourceDeclaration, Resources, RowsAbout } from "./resource.ts";

/** A long-running part of a feature (a runner, a listener). `stop` finishes what runs and refuses new work. */
export interface Worker {
  stop(): Promise<void>;
}

/** A table whose announced changes name people: whose rows they are. */
export interface PersonalTable {
  /** As it is announced (`announce_changes`). */
  table: string;
  /** Everybody hears of their own rows; who hears of all. Without it: whoever may read the table. */
  others?: Resource;
  /** What people may see hangs on it: an open page of somebody who is named is asked anew who it is. */
  decidesAccess?: true;
}

/** What the command line on the server's own machine signs in with, for as long as the server runs. */
export interface LocalSession {
  token: string;
  revoke(): Promise<void>;
}

/** What the parts of a feature are given when the program starts. */
export interface Services {
  /** On the program's own behalf. */
  ctx: Ctx;
  config: Config;
  metrics: Metrics;
  /** Hears what the database announces. */
  listener: Listener;
  /** Which rows have changed, whichever server changed them. */
  changes: Changes;
  /** This process among all that claim slots; present whatever the server's role, because a request may claim one. */
  workers: WorkerRegistry;
  /** Parts that may stand still while the rest answers say so here. */
  readiness: Readiness;
  /** What the data API shows, of every feature. */
  tables: readonly Table[];
  /** Tables that are told of otherwise than by who may read them, of every feature. */
  personal: readonly PersonalTable[];
  /** What has a name, of every feature. */
  resources: Resources;
  /** The kinds of documents, of every feature. */
  documents: readonly DocumentKind[];
  /** Where secrets are kept encrypted, of every feature. */
  encrypted: readonly EncryptedStore[];
  /** What weakens this server, of every feature. */
  securityFacts(ctx: Ctx): Promise<SecurityFact[]>;
  /** What this server logs, as it does. */
  logLines: LogLines;
  /** Aborted when the server begins to stop; what would stay open for long ends then. */
  stopping: AbortSignal;
  /** The address that people type, once the server listens. */
  address(): string;
  /** Where it answers on its own machine, once it listens. */
  localAddress(): string;
  /** The port it listens on, once it does. */
  port(): number;
}

/** A capability of the product, as the program sees it. Listed by hand in `features.ts`. */
export interface Feature {
  name: string;
  /** What of it can be set from outside. */
  settings?: Settings;
  /** What the data API may show and change. */
  tables?: readonly Table[];
  /** Functions of the database that the data API may call (`/api/db/rpc/*`). */
  functions?: readonly RowFunction[];
  /** Kinds of documents: read, applied, shown and deleted alike, whichever feature they are of. */
  documents?: readonly DocumentKind[];
  /** Everything else over HTTP. */
  routes?: (http: Http, services: Services) => void;
  jobs?: readonly JobDefinition[];
  schedules?: readonly ScheduledJob[];
  /** Tables that are divided by day: their days are made, and dropped, without further ado. */
  partitions?: readonly DeclaredPartitions[];
  /** What of this feature has a name, wherever it is spoken of. */
  resources?: readonly ResourceDeclaration[];
  /** Tables of this feature whose rows are about a resource: what the audit calls them. */
  rowsAbout?: readonly RowsAbout[];
  /** Where this feature keeps secrets encrypted, besides those that are sealed in documents. */
  encrypted?: readonly EncryptedStore[];
  /** What others may hear of, raised by the feature's verbs or by its SQL. */
  events?: readonly EventDefinition[];
  /** What is done when something has happened, here or in a feature below. */
  on?: readonly EventHandler[];
  /** What counts no more when rows have changed. */
  changes?: readonly ChangeListener[];
  /** Of its tables, those whose announced changes name people. */
  personal?: readonly PersonalTable[];
  /** Ways of saying who asks. */
  authentications?: readonly Authentication[];
  /** What may be read without signing in, where the server was started for that (`CHECKER_ONLY`). */
  open?: readonly Resource[];
  /** Origins besides the server's own, as it is set up. */
  otherOrigins?: (config: Config) => OtherOrigins;
  /** A session for the command line on this machine; one feature has it. */
  localSession?: (ctx: Ctx) => Promise<LocalSession>;
  /** Views, functions and triggers: a file that is run again whenever its text changes, in feature order. */
  views?: URL;
  /**
   * Rows that must exist, written in every start-up under the migration lock. What it answers are lines that are told
   * once, to whoever starts the server.
   */
  seed?: (ctx: Ctx, config: Config) => Promise<readonly string[] | void>;
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
