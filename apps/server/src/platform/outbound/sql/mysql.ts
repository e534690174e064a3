import type { TLSSocket } from "node:tls";
import type { Connection } from "mysql2";
import type { Connector } from "../connector.ts";
import { describeNetworkError, errorCode, placeName } from "../network-errors.ts";
import { endingAt, watchCertificate } from "../tls.ts";
import type { MysqlTarget } from "./mysql-target.ts";
import { limitReceived, type RowQuery, type RowsRead } from "./read-rows.ts";

const cancelLimitMs = 5000;
/** Of the driver, whatever was wrong. */
const handshakeFailed = "HANDSHAKE_SSL_ERROR";

async function openConnection(target: MysqlTarget, connector: Connector, signal: AbortSignal) {
  // Loaded by the first such query: it is 20 MB that most servers never need.
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
    // An integer that a number does not hold exactly is its digits; every other one is a number.
    supportBigNumbers: true,
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
async function kill(id: number, target: MysqlTarget, connector: Connector): Promise<void> {
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

/** Asks a database of MySQL or MariaDB. @throws an error whose sentence says what it or the network says */
export async function queryMysql(
  target: MysqlTarget,
  { query, signal, connector, row }: RowQuery,
): Promise<RowsRead> {
  const place = placeName(target.host, target.port);
  const started = performance.now();
  const { socket, connection } = await openConnection(target, connector, signal);
  let isEnough = false;
  let ends: Date | undefined;
  let secured: TLSSocket | undefined;
  const threadId = () => (connection as Connection & { threadId?: number | null }).threadId;
  try {
    return await new Promise<RowsRead>((fulfil, reject) => {
      const abandon = () => {
        const id = threadId();
        if (typeof id === "number") kill(id, target, connector).catch(() => undefined);
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
        fulfil({ durationMs: performance.now() - started, ends });
      };
      connection.on("error", fail);
      limitReceived(socket, place, fail);
      onTls(connection, (socketOfTls) => {
        secured = socketOfTls;
        limitReceived(secured, place, fail);
        watchCertificate(secured, (at) => {
          ends = at;
        });
      });
      socket.once("close", () => fail(new Error(`${place} closed the connection`)));
      const asked = connection.query(query);
      asked.on("error", fail);
      asked.on("result", (found: Record<string, unknown>) => {
        // A statement without rows reports what it changed.
        if (found.constructor?.name === "ResultSetHeader") return;
        if (isEnough || row(found)) return;
        isEnough = true;
        abandon();
        done();
      });
      asked.on("end", done);
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
