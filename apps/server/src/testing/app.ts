import { mkdtempSync, rmSync } from "node:fs";
import { urlOf, createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import { inject } from "vitest";
import type { Clock } from "#platform/clock.ts";
import type { Config } from "#platform/config.ts";
import { openDatabase, type Database } from "#platform/db/database.ts";
import type { Feature } from "#platform/feature.ts";
import { createLog, type Log } from "#platform/log.ts";
import { type App, createApp } from "../app.ts";
import { readConfig } from "../settings.ts";

export interface MigratedDatabase {
  /** As the product runs: rows, and nothing of the schema. */
  db: Database;
  /** As who owns the schema: for what a test changes in it. */
  owner: Database;
  /** The same two as addresses. */
  url: string;
  ownerUrl: string;
  /** For what needs more than the product has. */
  superuser: TestDatabase["superuser"];
  drop(): Promise<void>;
}

/** A database of the test file's own, cloned from the migrated template. */
export async function testDatabase(): Promise<MigratedDatabase> {
  const database = await createTestDatabase({ connection: inject("cluster") }, inject("template"));
  const open = (connection: TestDatabase["owner"]) =>
    openDatabase({
      connection,
      applicationName: "test",
      onError: (error) => process.stderr.write(`test database: ${error.message}\n`),
    });
  const db = open(database.application);
  const owner = open(database.owner);
  return {
    db,
    owner,
    url: urlOf(database.application),
    ownerUrl: urlOf(database.owner),
    superuser: database.superuser,
    async drop() {
      await Promise.all([db.close(), owner.close()]);
      await database.drop();
    },
  };
}

/** The settings of a test: any free port, nothing logged but failures, no checks of its own. */
export function testConfig(changes: Partial<Config> = {}): Config {
  const config = readConfig(
    {
      port: "0",
      logLevel: "error",
      selfChecks: "false",
      selfCatalog: "false",
      ownLog: "false",
      // The tests may run as anybody.
      exec: "on",
      adminPassword: "correct-horse-battery",
      // No file in the data directory of this machine.
      encryptionKey: Buffer.alloc(32, 1).toString("base64"),
    },
    {},
  );
  return { ...config, ...changes };
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined when it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test names the shape it expects by what it asserts
  json: any;
}

/** Somebody who talks to the app under test, with a session or without. */
export interface Client {
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, headers?: Record<string, string>): Promise<Reply>;
}

export interface TestApp {
  app: App;
  /** As the product runs. */
  db: Database;
  /** As who owns the schema: for what a test changes in it. */
  owner: Database;
  address: string;
  /** Without a session. */
  nobody: Client;
  /** The administrator of the first start. */
  admin: Client;
  /** Ends the program alone: another one may go on with its database until all is stopped. */
  endProgram(): Promise<void>;
  stop(): Promise<void>;
}

/** The whole program on a database of its own, listening on a free port. */
export async function startTestApp(
  changes: Partial<Config> = {},
  parts: {
    log?: Log;
    features?: readonly Feature[];
    /** Of the server; the database has its own. */
    clock?: Clock;
    /** Makes what these features need of the database before they start. */
    prepare?(owner: Database): Promise<unknown>;
  } = {},
): Promise<TestApp> {
  const database = await testDatabase();
  const consoleDirectory = mkdtempSync("/tmp/mainstay-console-");
  const config = testConfig(changes);
  await parts.prepare?.(database.owner);
  const app = await createApp({
    config,
    ...(parts.features && { features: parts.features }),
    ...(parts.clock && { clock: parts.clock }),
    db: database.db,
    owner: database.owner,
    log: parts.log ?? createLog(config.logLevel),
    consoleDirectory,
  });
  await app.listen();
  const session =
    config.checkerOnly || config.role === "worker" ? undefined : await app.createLocalSession();
  let ended: Promise<void> | undefined;
  const endProgram = () => (ended ??= app.stop());
  return {
    app,
    db: database.db,
    owner: database.owner,
    address: app.address,
    nobody: client(app.address),
    admin: client(app.address, session ? { "x-session-token": session.token } : {}),
    endProgram,
    async stop() {
      await session?.revoke();
      await endProgram();
      await database.drop();
      rmSync(consoleDirectory, { recursive: true, force: true });
    },
  };
}

export function client(address: string, always: Record<string, string> = {}): Client {
  const request: Client["request"] = async (method, path, body, headers = {}) => {
    const asText = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const reply = await fetch(address + path, {
      method,
      body: asText,
      redirect: "manual",
      headers: {
        accept: "application/json",
        ...(asText === undefined ? {} : { "content-type": "application/json" }),
        ...always,
        ...headers,
      },
    });
    const text = await reply.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: reply.status, headers: reply.headers, text, json };
  };
  return {
    request,
    get: (path, headers) => request("GET", path, undefined, headers),
    post: (path, body, headers) => request("POST", path, body, headers),
    patch: (path, body, headers) => request("PATCH", path, body, headers),
    delete: (path, headers) => request("DELETE", path, undefined, headers),
  };
}
