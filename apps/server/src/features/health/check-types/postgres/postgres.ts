import type { Socket } from "node:net";
import { join } from "node:path";
import { checkSpecs, type PostgresSpec } from "@mainstay/contract";
import pg from "pg";
import { attempt, checkType, type CheckOutcome, failed } from "../check-type.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { describeNetworkError, errorCode, placeName } from "#platform/outbound/network-errors.ts";
import { endingAt, watchCertificate } from "#platform/outbound/tls.ts";
import { certificateExpiry } from "../expiry.ts";
import { judgeRows, mostReceived, queryTime, RowCollector } from "../sql-outcome.ts";
import { type PostgresTarget, readPostgresTarget } from "./target.ts";

const defaultQuery = "SELECT 1";
const cancelLimitMs = 1000;

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

interface QueryInput {
  spec: PostgresSpec;
  target: PostgresTarget;
  signal: AbortSignal;
  limitMs: number;
  connector: Connector;
}

async function runQuery({
  spec,
  target,
  signal,
  limitMs,
  connector,
}: QueryInput): Promise<CheckOutcome> {
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
    statement_timeout: Math.max(1, Math.ceil(limitMs)),
  });
  const collected = new RowCollector();
  let isRunning = false;
  let ends: Date | undefined;
  try {
    return await new Promise<CheckOutcome>((fulfil, reject) => {
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
        const outcome = judgeRows(collected, spec.results, performance.now() - started);
        fulfil({ ...outcome, ...certificateExpiry(ends) });
      };
      const fail = (error: Error) => {
        signal.removeEventListener("abort", stop);
        reject(error);
      };
      client.on("error", fail);
      const limit = (stream: Socket) =>
        stream.on("data", () => {
          if (stream.bytesRead > mostReceived)
            fail(new Error(`${place} sent more than ${mostReceived} bytes; the query was stopped`));
        });
      limit(socket);
      client.connection.once("sslconnect", () => {
        // The driver has put TLS around the socket that it was given, which tells of nothing any more.
        const secured = client.connection.stream as Socket;
        limit(secured);
        watchCertificate(secured, (at) => {
          ends = at;
        });
      });
      socket.once("close", () => fail(new Error(`${place} closed the connection`)));
      client.connect((error: Error | undefined) => {
        if (error) return fail(error);
        isRunning = true;
        const query = client.query(new pg.Query(spec.query ?? defaultQuery));
        query.on("row", (row: Record<string, unknown>) => {
          if (collected.add(row)) return;
          abandon();
          done();
        });
        query.on("error", fail);
        query.on("end", done);
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

export const postgres = checkType<PostgresSpec>({
  type: "postgres",
  spec: checkSpecs.postgres,
  network: true,
  endpoint(spec) {
    const target = readPostgresTarget(spec);
    return target
      ? `${placeName(target.host, target.port)}${target.database ? `/${target.database}` : ""}`
      : "";
  },
  async run(input) {
    const { spec, connector } = input;
    const target = readPostgresTarget(spec);
    if (!target)
      return failed(
        "the url is not a PostgreSQL address such as postgres://user@host:5432/database",
        { invalid: true },
      );
    const time = queryTime(input);
    return attempt(time, async () => {
      const query = { spec, target, signal: time.signal, limitMs: time.timeoutMs, connector };
      try {
        return await runQuery(query);
      } catch (error) {
        if (target.ssl !== "prefer" || !wantsTls(error)) throw error;
        return runQuery({ ...query, target: { ...target, ssl: "require" } });
      }
    });
  },
});
