import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Role } from "@mainstay/contract";
import { client, testConfig, type Client } from "../../../testing/app.ts";
import { systemClock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { createCtx, type Actor } from "../../context.ts";
import { openDatabase } from "../../db/database.ts";
import { createLog } from "../../log.ts";
import { createMetrics } from "../../metrics.ts";
import type { Http } from "../route.ts";
import { createHttpServer, type HttpServer } from "../server.ts";
import { systemRoutes } from "../system-routes.ts";
import { createReadiness } from "../../readiness.ts";

export interface TestHttpServer {
  address: string;
  port: number;
  /** Somebody with that role; nobody when absent. */
  as(role?: Role): Client;
  server: HttpServer;
  /** What was logged, parsed. */
  logged: Record<string, unknown>[];
  stop(): Promise<void>;
}

/** The HTTP part alone, with a database that is away and people who are whoever the header `x-test-role` says. */
export async function startHttpServer(options: {
  routes?: (http: Http) => void;
  config?: Partial<Config>;
  /** Path to content. */
  console?: Record<string, string | Buffer>;
  requestTimeoutMs?: number;
}): Promise<TestHttpServer> {
  const { routes, console: files = {}, requestTimeoutMs } = options;
  const consoleDirectory = mkdtempSync("/tmp/mainstay-console-");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(consoleDirectory, path)), { recursive: true });
    writeFileSync(join(consoleDirectory, path), content);
  }
  const logged: Record<string, unknown>[] = [];
  const log = createLog("debug", {
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  });
  const db = openDatabase({
    connection: { host: "/tmp/mainstay-nowhere", user: "nobody", database: "none" },
    applicationName: "test",
    onError: () => undefined,
  });
  const metrics = createMetrics();
  const ctx = createCtx({
    actor: { kind: "system" },
    config: testConfig({}),
    db,
    clock: systemClock,
    log,
    signal: new AbortController().signal,
    toTx: () => {
      throw new Error("This test has no transactions.");
    },
  });
  const server = await createHttpServer({
    config: testConfig(options.config),
    log,
    metrics,
    ctx,
    authenticate: async ({ headers }): Promise<Actor | undefined> =>
      headers["x-test-role"]
        ? {
            kind: "person",
            id: "00000000-0000-0000-0000-000000000001",
            name: "Test",
            email: null,
            roles: [headers["x-test-role"] as Role],
            sessionId: "00000000-0000-0000-0000-000000000002",
          }
        : undefined,
    anonymous: { kind: "anonymous", readOnly: true, resources: [] },
    consoleDirectory,
    requestTimeoutMs,
  });
  systemRoutes(server.app, { db, metrics, readiness: createReadiness(), isStopping: () => false });
  routes?.(server.http);
  await server.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = server.app.server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  return {
    address,
    port,
    as: (role) => client(address, role ? { "x-test-role": role } : {}),
    server,
    logged,
    async stop() {
      await server.app.close();
      await db.close();
      rmSync(consoleDirectory, { recursive: true });
    },
  };
}

/** Sends bytes as they are and reads what comes until the other side closes: for what no HTTP client would send. */
export async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(bytes);
  return text(socket);
}
