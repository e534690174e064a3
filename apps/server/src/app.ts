import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { type Clock, systemClock } from "#platform/clock.ts";
import type { Config } from "#platform/config.ts";
import { type Actor, createCtx, type Ctx } from "#platform/context.ts";
import type { Database } from "#platform/db/database.ts";
import { makePartitions, partitionJobs, resolvePartitions } from "#platform/db/partitions.ts";
import { unavailable } from "#platform/errors.ts";
import { createListener } from "#platform/events/listener.ts";
import { createChanges, followChanges } from "#platform/events/changes.ts";
import { createDispatcher } from "#platform/events/dispatcher.ts";
import { collectStores, refuseUnreadable } from "#platform/encrypted-stores.ts";
import { collectKinds } from "#platform/documents/collect-kinds.ts";
import type { Feature, LocalSession, Services, Worker } from "#platform/feature.ts";
import { prepareDataRoles } from "#platform/db/data-role.ts";
import { dataApiRoute } from "#platform/http/data-api-route.ts";
import { READ_CONNECTIONS, WRITE_CONNECTIONS } from "#platform/http/data-api-shares.ts";
import { createAuthenticator } from "#platform/http/authenticator.ts";
import { createHttpServer, type Endpoint } from "#platform/http/server.ts";
import { systemRoutes } from "#platform/http/system-routes.ts";
import { createQueue } from "#platform/jobs/queue.ts";
import { createScheduledJobs } from "#platform/jobs/scheduled-jobs.ts";
import { createScheduler } from "#platform/jobs/schedules.ts";
import { createToTx } from "#platform/jobs/to-tx.ts";
import { createWorkerRegistry } from "#platform/jobs/worker-registry.ts";
import { type Log, type LogLines, noLines } from "#platform/log.ts";
import { createMetrics } from "#platform/metrics.ts";
import { collectFacts } from "#platform/security-facts.ts";
import { collectResources } from "#platform/resource.ts";
import { createReadiness } from "#platform/readiness.ts";
import { features as everyFeature } from "./features.ts";
import { migrateSchema } from "./schema.ts";

export interface AppParts {
  config: Config;
  db: Database;
  /** As the owner of the schema; `db` where one user is both. */
  owner?: Database;
  log: Log;
  /** What is logged, for what keeps it; nothing unless said. */
  logLines?: LogLines;
  clock?: Clock;
  features?: readonly Feature[];
  /** Where the built console lies. */
  consoleDirectory?: string;
}

export interface App {
  /** The address that people type; known once it listens. */
  readonly address: string;
  /** Where it listens, for programs on this machine. */
  readonly localAddress: string;
  readonly ctx: Ctx;
  readonly fastify: FastifyInstance;
  readonly routes: readonly Endpoint[];
  /** What to tell whoever started it, once. */
  readonly notices: readonly string[];
  listen(): Promise<void>;
  /** A session for the command line of this machine. */
  createLocalSession(): Promise<LocalSession>;
  stop(): Promise<void>;
}

/** The channel on which a server that has started says that the schema may be another now. */
export const SCHEMA_CHANGED = "schema_changed";

/**
 * Puts the program together: schema, jobs, features, HTTP. Nothing runs and nothing listens before `listen`.
 */
export async function createApp(parts: AppParts): Promise<App> {
  const { config, db, owner = db, log, clock = systemClock, features = everyFeature } = parts;
  const ending = new AbortController();
  const metrics = createMetrics();
  const readiness = createReadiness();
  const listener = createListener({ db, log });
  const workers = createWorkerRegistry({ db, log });
  const works = config.role !== "api";

  const queue = createQueue({
    db,
    log,
    listener,
    jobs: features.flatMap((feature) => feature.jobs ?? []),
    createCtx: (run) => ctx.with(run),
  });
  const ctx = createCtx({
    actor: { kind: "system" },
    config,
    db,
    clock,
    log,
    signal: ending.signal,
    toTx: createToTx(queue),
  });

  const resources = collectResources(features);
  const encrypted = collectStores(features);
  const partitions = resolvePartitions(
    features.flatMap((feature) => feature.partitions ?? []),
    config,
  );
  const notices: string[] = [];
  await migrateSchema({
    db,
    owner,
    log,
    features,
    async seed() {
      await refuseUnreadable(db, config, encrypted);
      // Before the first row, which would otherwise land in a default partition.
      await makePartitions(db, partitions);
      for (const feature of features) notices.push(...((await feature.seed?.(ctx, config)) ?? []));
    },
  });

  let address = "";
  const tables = features.flatMap((feature) => feature.tables ?? []);
  const functions = features.flatMap((feature) => feature.functions ?? []);
  const stopping = new AbortController();
  const anonymous: Actor = {
    kind: "anonymous",
    readOnly: !config.checkerWrite,
    resources: config.checkerOnly ? features.flatMap((feature) => feature.open ?? []) : [],
  };
  const server = await createHttpServer({
    config,
    log,
    metrics,
    ctx,
    authenticate: createAuthenticator(
      ctx,
      features.flatMap((feature) => feature.authentications ?? []),
    ),
    anonymous,
    otherOrigins: features.flatMap((feature) => feature.otherOrigins?.(config) ?? []),
    consoleDirectory:
      parts.consoleDirectory ?? fileURLToPath(new URL("../../console/dist", import.meta.url)),
  });
  const changes = await createChanges({ listener, log });
  followChanges(
    changes,
    features.flatMap((feature) => feature.changes ?? []),
    ctx,
  );
  const services: Services = {
    ctx,
    config,
    metrics,
    listener,
    changes,
    workers,
    readiness,
    tables,
    documents: collectKinds(features),
    encrypted,
    resources,
    personal: features.flatMap((feature) => feature.personal ?? []),
    logLines: parts.logLines ?? noLines,
    securityFacts: (asker) => collectFacts(features, asker, services),
    stopping: stopping.signal,
    address: () => address,
    localAddress: () => addressOf(server.app),
    port: () => (server.app.server.address() as AddressInfo).port,
  };
  systemRoutes(server.app, { db, metrics, readiness, isStopping: () => stopping.signal.aborted });
  // Searches rest on some tables that are not shown.
  const searched = tables.flatMap(({ search }) => search?.reads ?? []).map((name) => ({ name }));
  const roles = await prepareDataRoles(db, log, [...tables, ...searched], owner);
  const readPool = db.openPool(READ_CONNECTIONS, roles?.read);
  const writePool = db.openPool(WRITE_CONNECTIONS, roles?.write);
  await db.raw(`notify ${SCHEMA_CHANGED}`);
  if (config.role !== "worker") {
    const api = dataApiRoute(server.app, {
      readPool,
      writePool,
      writeRole: roles?.write,
      tables,
      functions,
      contextOf: server.contextOf,
    });
    await api.ready();
    // Another server that brings a newer schema says so; meanwhile requests go on with the old one.
    await listener.on(SCHEMA_CHANGED, () => {
      api
        .reload()
        .catch((error: unknown) =>
          log.error({ err: error }, "the data API could not read the schema again"),
        );
    });
    for (const feature of features) feature.routes?.(server.http, services);
  }

  const dispatcher = createDispatcher({
    db,
    log,
    listener,
    events: features.flatMap((feature) => feature.events ?? []),
    handlers: features.flatMap(({ name, on = [] }) =>
      on.map((handler) => ({ feature: name, handler })),
    ),
    createCtx: (run) => ctx.with(run),
  });
  const scheduledJobs = createScheduledJobs({
    db,
    log,
    jobs: [...features.flatMap((feature) => feature.schedules ?? []), ...partitionJobs(partitions)],
    createCtx: (run) => ctx.with(run),
  });
  const scheduler = createScheduler({ db, log, listener, workers, kinds: [scheduledJobs.kind] });
  const featureWorkers: Worker[] = [];

  return {
    ctx,
    fastify: server.app,
    routes: server.routes,
    notices,
    get address() {
      return address;
    },
    get localAddress() {
      return addressOf(server.app);
    },
    async listen() {
      await workers.start();
      await queue.start({ work: works });
      await server.app.listen({ port: config.port, host: config.host });
      address = config.publicUrl ?? addressOf(server.app);
      for (const feature of features) {
        const worker = await feature.always?.(services);
        if (worker) featureWorkers.push(worker);
      }
      if (!works) return;
      await dispatcher.start();
      await scheduledJobs.sync();
      await scheduler.start();
      for (const feature of features) {
        const worker = await feature.worker?.(services);
        if (worker) featureWorkers.push(worker);
      }
    },
    async createLocalSession() {
      const [create] = features.flatMap((feature) => feature.localSession ?? []);
      if (!create) throw unavailable("Nobody can sign in to this server.");
      return create(ctx);
    },
    async stop() {
      stopping.abort(new Error("The server is stopping."));
      // New requests are refused while those in flight are answered and what runs is finished.
      const closed = server.app.close();
      const failures: unknown[] = [];
      // Each is told to stop whatever happened to the one before.
      const end = (stopping: Promise<unknown>) =>
        stopping.catch((error: unknown) => failures.push(error));
      await Promise.all(featureWorkers.map((worker) => end(worker.stop())));
      await end(scheduler.stop());
      await end(dispatcher.stop());
      await end(queue.stop());
      await end(closed);
      await end(Promise.all([readPool.end(), writePool.end()]));
      changes.close();
      ending.abort(new Error("The server is stopping."));
      await end(workers.stop());
      await end(listener.close());
      if (failures.length > 0) throw new AggregateError(failures, "Parts did not stop cleanly.");
    },
  };
}

function addressOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  const host = ["0.0.0.0", "::"].includes(address)
    ? "localhost"
    : family === "IPv6"
      ? `[${address}]`
      : address;
  return `http://${host}:${port}`;
}
