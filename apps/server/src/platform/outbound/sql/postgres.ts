import type { Socket } from "node:net";
import { join } from "node:path";
import pg from "pg";
import type { Connector } from "../connector.ts";
import { describeNetworkError, errorCode, placeName } from "../network-errors.ts";
import { endingAt, watchCertificate } from "../tls.ts";
import type { PostgresTarget } from "./postgres-target.ts";
import { integerOf, limitReceived, type RowQuery, type RowsRead } from "./read-rows.ts";

const cancelLimitMs = 1000;

/** What the driver makes of values, but for `bigint`, which `count(*)` is too. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((id, format) =>
    id === pg.types.builtins.INT8
      ? integerOf
      : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

/** Lets the driver believe that it opened the socket itself, so that the address policy has its say first. */
function handOver(socket: Socket): Socket {
  return Object.assign(socket, {
    connect: () => {
      queueMicrotask(() => socket.emit("connect"));
      return socket;
    },
  });
}

function tlsFor({ ssl }: PostgresTarget): pg.ClientConfig["ssl"] {
  switch (ssl) {
    case "disable":
    case "prefer":
      return false;
    case "require":
      return { rejectUnauthorized: false };
    case "verify-ca":
      return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case "verify-full":
      return { rejectUnauthorized: true };
  }
}

/** A folder as host means the socket in it, as everywhere with this database; it is no network address. */
function openSocket(
  target: PostgresTarget,
  connector: Connector,
  signal: AbortSignal,
): Promise<Socket> {
  if (!target.host.startsWith("/")) return connector.tcp(target, { signal });
  return connector.socketFile(join(target.host, `.s.PGSQL.${target.port}`), { signal });
}

/** Tells the server to stop what an abandoned connection is doing; closing the socket alone would not. */
async function cancel(
  target: PostgresTarget,
  client: pg.Client,
  connector: Connector,
): Promise<void> {
  const { processID, secretKey } = client as unknown as {
    processID: number | null;
    secretKey: number | null;
  };
  if (typeof processID !== "number" || typeof secretKey !== "number") return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80_877_102, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = await openSocket(target, connector, AbortSignal.timeout(cancelLimitMs));
  socket.on("error", () => undefined);
  socket.end(request);
}

async function readRows(
  target: PostgresTarget,
  { query, values = [], signal, limitMs, connector, row }: RowQuery,
): Promise<RowsRead> {
  const place = placeName(target.host, target.port);
  const started = performance.now();
  const socket = await openSocket(target, connector, signal);
  const client = new pg.Client({
    host: target.host,
    port: target.port,
    user: target.user,
    password: target.password ?? "",
    database: target.database,
    ssl: tlsFor(target),
    stream: () => handOver(socket),
    application_name: "mainstay",
    types,
    statement_timeout: Math.max(1, Math.ceil(limitMs)),
  });
  let isRunning = false;
  let isEnough = false;
  let ends: Date | undefined;
  try {
    return await new Promise<RowsRead>((fulfil, reject) => {
      const abandon = () => {
        if (isRunning) cancel(target, client, connector).catch(() => undefined);
      };
      const stop = () => {
        abandon();
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", stop, { once: true });
      const done = () => {
        signal.removeEventListener("abort", stop);
        fulfil({ durationMs: performance.now() - started, ends });
      };
      const fail = (error: Error) => {
        signal.removeEventListener("abort", stop);
        reject(error);
      };
      client.on("error", fail);
      limitReceived(socket, place, fail);
      client.connection.once("sslconnect", () => {
        // The driver has put TLS around the socket that it was given, which tells of nothing any more.
        const secured = client.connection.stream as Socket;
        limitReceived(secured, place, fail);
        watchCertificate(secured, (at) => {
          ends = at;
        });
      });
      socket.once("close", () => fail(new Error(`${place} closed the connection`)));
      client.connect((error: Error | undefined) => {
        if (error) return fail(error);
        isRunning = true;
        const asked = client.query(new pg.Query(query, [...values]));
        asked.on("row", (found: Record<string, unknown>) => {
          if (isEnough || row(found)) return;
          isEnough = true;
          abandon();
          done();
        });
        asked.on("error", fail);
        asked.on("end", done);
        return undefined;
      });
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw endingAt(plainError(error, place, limitMs), ends);
  } finally {
    client.on("error", () => undefined);
    socket.on("error", () => undefined);
    socket.destroy();
  }
}

function plainError(error: unknown, place: string, limitMs: number): Error {
  const code = errorCode(error);
  if (code === "57014")
    return new Error(`the query was stopped after ${Math.round(limitMs)} ms`, { cause: error });
  // What the server says is a sentence already.
  if (error instanceof pg.DatabaseError)
    return new Error(`${place}: ${error.message}`, { cause: error });
  if (error instanceof Error && error.message.startsWith("The server does not support SSL")) {
    return new Error(`${place} does not speak TLS`, { cause: error });
  }
  return describeNetworkError(error, place);
}

const wantsTls = (error: unknown) =>
  /no encryption|SSL off|SSL.*required/i.test(error instanceof Error ? error.message : "");

/** Asks a database of PostgreSQL. @throws an error whose sentence says what it or the network says */
export async function queryPostgres(target: PostgresTarget, query: RowQuery): Promise<RowsRead> {
  try {
    return await readRows(target, query);
  } catch (error) {
    if (target.ssl !== "prefer" || !wantsTls(error)) throw error;
    return readRows({ ...target, ssl: "require" }, query);
  }
}
