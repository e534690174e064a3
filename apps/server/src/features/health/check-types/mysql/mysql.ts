import { checkSpecs, type MysqlSpec } from "@mainstay/contract";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Connection } from "mysql2";
import { attempt, checkType, type CheckOutcome, failed } from "../check-type.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { describeNetworkError, errorCode, placeName } from "#platform/outbound/network-errors.ts";
import { endingAt, watchCertificate } from "#platform/outbound/tls.ts";
import { certificateExpiry } from "../expiry.ts";
import { judgeRows, mostReceived, queryTime, RowCollector } from "../sql-outcome.ts";
import { type MysqlTarget, readMysqlTarget } from "./target.ts";

const defaultQuery = "SELECT 1";
const cancelLimitMs = 5000;
/** Of the driver, whatever was wrong. */
const handshakeFailed = "HANDSHAKE_SSL_ERROR";

interface QueryInput {
  spec: MysqlSpec;
  target: MysqlTarget;
  signal: AbortSignal;
  connector: Connector;
}

async function openConnection(target: MysqlTarget, connector: Connector, signal: AbortSignal) {
  // Loaded by the first such check: it is 20 MB that most servers never need.
  const { createConnection } = await import("mysql2");
  const socket = await connector.tcp(target, { signal });
  const connection = createConnection({
    host: target.host,
    port: target.port,
    user: target.user,
    password: target.password,
    database: target.database,
    stream: socket,
    // A server may ask for a file of ours; it does not get one.
    flags: ["-LOCAL_FILES"],
    ...(target.tls !== "off" && {
      ssl: {
        rejectUnauthorized: target.tls === "verified",
        verifyIdentity: target.tls === "verified",
      },
    }),
    supportBigNumbers: true,
    bigNumberStrings: true,
    // Time is kept by the signal alone.
    connectTimeout: 0,
  });
  return { socket, connection };
}

/** Once the driver has put TLS around the socket that it was given, which tells of nothing any more. */
function onTls(connection: Connection, tell: (secured: TLSSocket) => void): void {
  const driver = connection as unknown as {
    stream: TLSSocket;
    startTLS: (done: (error?: Error) => void) => void;
  };
  const startTLS = driver.startTLS.bind(connection);
  driver.startTLS = (done) => {
    startTLS(done);
    tell(driver.stream);
  };
}

/** Ends the statement of an abandoned connection on the server, over a connection of its own. */
async function kill(id: number, { target, connector }: QueryInput): Promise<void> {
  const { socket, connection } = await openConnection(
    target,
    connector,
    AbortSignal.timeout(cancelLimitMs),
  );
  const end = setTimeout(() => socket.destroy(), cancelLimitMs);
  socket.once("close", () => clearTimeout(end));
  connection.on("error", () => undefined);
  connection.query(`KILL QUERY ${id}`, () => connection.destroy());
}

async function runQuery(input: QueryInput): Promise<CheckOutcome> {
  const { spec, target, signal, connector } = input;
  const place = placeName(target.host, target.port);
  const started = performance.now();
  const collected = new RowCollector();
  const { socket, connection } = await openConnection(target, connector, signal);
  let ends: Date | undefined;
  let secured: TLSSocket | undefined;
  const threadId = () => (connection as Connection & { threadId?: number | null }).threadId;
  try {
    return await new Promise<CheckOutcome>((fulfil, reject) => {
      const abandon = () => {
        const id = threadId();
        if (typeof id === "number") kill(id, input).catch(() => undefined);
      };
      const stop = () => {
        abandon();
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", stop, { once: true });
      const fail = (error: Error) => {
        signal.removeEventListener("abort", stop);
        reject(error);
      };
      const done = () => {
        signal.removeEventListener("abort", stop);
        const outcome = judgeRows(collected, spec.results, performance.now() - started);
        fulfil({ ...outcome, ...certificateExpiry(ends) });
      };
      connection.on("error", fail);
      const limit = (stream: Socket) =>
        stream.on("data", () => {
          if (stream.bytesRead > mostReceived)
            fail(new Error(`${place} sent more than ${mostReceived} bytes; the query was stopped`));
        });
      limit(socket);
      onTls(connection, (socketOfTls) => {
        secured = socketOfTls;
        limit(secured);
        watchCertificate(secured, (at) => {
          ends = at;
        });
      });
      socket.once("close", () => fail(new Error(`${place} closed the connection`)));
      const query = connection.query(spec.query ?? defaultQuery);
      query.on("error", fail);
      query.on("result", (row: Record<string, unknown>) => {
        // A statement without rows reports what it changed.
        if (row.constructor?.name === "ResultSetHeader") return;
        if (collected.add(row)) return;
        abandon();
        done();
      });
      query.on("end", done);
    });
  } catch (error) {
    if (signal.aborted) throw error;
    // The driver puts a code of its own in the place of the one that says what is wrong with a certificate.
    const code = errorCode(error) === handshakeFailed ? secured?.authorizationError : undefined;
    throw endingAt(code ? describeNetworkError({ code }, place) : plainError(error, place), ends);
  } finally {
    connection.on("error", () => undefined);
    socket.on("error", () => undefined);
    connection.destroy();
    socket.destroy();
  }
}

function plainError(error: unknown, place: string): Error {
  const code = errorCode(error);
  const { sqlMessage } = error as { sqlMessage?: string };
  if (sqlMessage) return new Error(`${place}: ${sqlMessage}`, { cause: error });
  if (code === "PROTOCOL_CONNECTION_LOST")
    return new Error(`${place} closed the connection`, { cause: error });
  if (code === "HANDSHAKE_NO_SSL_SUPPORT")
    return new Error(`${place} does not speak TLS`, { cause: error });
  return describeNetworkError(error, place);
}

export const mysql = checkType<MysqlSpec>({
  type: "mysql",
  spec: checkSpecs.mysql,
  network: true,
  endpoint(spec) {
    const target = readMysqlTarget(spec);
    return target
      ? `${placeName(target.host, target.port)}${target.database ? `/${target.database}` : ""}`
      : "";
  },
  async run(input) {
    const { spec, connector } = input;
    const target = readMysqlTarget(spec);
    if (!target)
      return failed("the url is not a MySQL address such as mysql://user@host:3306/database", {
        invalid: true,
      });
    const time = queryTime(input);
    return attempt(time, () => runQuery({ spec, target, signal: time.signal, connector }));
  },
});
