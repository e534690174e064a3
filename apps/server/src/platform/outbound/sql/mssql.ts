import type { Socket } from "node:net";
import type { ConnectionConfiguration } from "tedious";
import {
  describeNetworkError,
  errorCode,
  isCertificateCode,
  placeName,
} from "../network-errors.ts";
import { certificateEnds, endingAt, secure, watchCertificate } from "../tls.ts";
import type { MssqlTarget } from "./mssql-target.ts";
import { integerOf, limitReceived, type RowQuery, type RowsRead } from "./read-rows.ts";

/** Time is kept by the signal alone; the driver wants a number. */
const noTimeMs = 86_400_000;
/** The type of the packet in which a server answers the first one. */
const firstAnswer = 0x04;

/** A server may send a client on to another; the address policy has its say about that one too. */
type OpenSocket = (to?: { host: string; port: number }) => Promise<Socket>;

function configuration(target: MssqlTarget, connector: OpenSocket): ConnectionConfiguration {
  return {
    server: target.host,
    authentication: {
      type: "default",
      options: { userName: target.user ?? "", password: target.password ?? "" },
    },
    options: {
      port: target.port,
      ...(target.database !== undefined && { database: target.database }),
      connector,
      appName: "mainstay",
      encrypt: target.encrypt === "strict" ? "strict" : target.encrypt !== "off",
      trustServerCertificate: target.trusts,
      cryptoCredentialsDetails: { ...target.certificates },
      connectTimeout: noTimeMs,
      requestTimeout: 0,
      maxRetriesOnTransientErrors: 0,
      useUTC: true,
    },
  };
}

interface Column {
  metadata: { colName: string; type: { name: string } };
  value: unknown;
}

/** Of the integers the driver hands over those of 64 bits as texts. */
const valueOf = ({ metadata: { type }, value }: Column): unknown =>
  typeof value === "string" && (type.name === "BigInt" || type.name === "IntN")
    ? integerOf(value)
    : value;

async function readRows(
  target: MssqlTarget,
  { query, signal, connector, row }: RowQuery,
): Promise<RowsRead> {
  const place = placeName(target.host, target.port);
  // Loaded by the first such query: it is much that most servers never need.
  const { Connection, Request } = await import("tedious");
  const started = performance.now();
  const opened: Socket[] = [];
  let isEnough = false;
  let end: (() => void) | undefined;
  let ends: Date | undefined;
  try {
    return await new Promise<RowsRead>((fulfil, reject) => {
      const stop = () => reject(signal.reason as Error);
      signal.addEventListener("abort", stop, { once: true });
      const open: OpenSocket = async (to = target) => {
        const socket = await connector.tcp(to, { signal }).catch((error: unknown) => {
          // The driver would wrap it.
          reject(error);
          throw error;
        });
        opened.push(socket);
        socket.on("error", () => undefined);
        socket.once("data", ([type]: Buffer) => {
          if (type !== firstAnswer && target.encrypt !== "strict")
            reject(new Error(`${place} does not answer as an SQL Server`));
        });
        socket.on("data", () => watch());
        limitReceived(socket, place, reject);
        return socket;
      };
      const connection = new Connection(configuration(target, open));
      let isWatched = false;
      const watch = () => {
        // The driver tells of TLS when the certificate has been accepted.
        const secured = (connection as unknown as Driver).messageIo?.securePair?.cleartext;
        if (isWatched || !secured) return;
        isWatched = true;
        watchCertificate(secured, (at) => {
          ends = at;
        });
      };
      const done = () => fulfil({ durationMs: performance.now() - started, ends });
      end = () => {
        signal.removeEventListener("abort", stop);
        connection.close();
      };
      connection.on("error", reject);
      connection.on("end", () => reject(new Error(`${place} closed the connection`)));
      const request = new Request(query, (error) => {
        if (error) reject(error);
        else done();
      });
      request.on("row", (columns: Column[]) => {
        const found = Object.fromEntries(
          columns.map((column) => [column.metadata.colName, valueOf(column)]),
        );
        if (isEnough || row(found)) return;
        // What is left of the query ends with the connection.
        isEnough = true;
        done();
      });
      connection.connect((error) => {
        if (error) return reject(error);
        // Where TLS comes before everything else the driver tells nothing of it.
        ends ??= certificateEnds((connection as unknown as { socket?: Socket }).socket);
        connection.execSqlBatch(request);
      });
    });
  } catch (error) {
    if (signal.aborted) throw error;
    if (target.encrypt === "strict" && isCertificateCode(errorCode((error as Error).cause)))
      ends ??= await lookAtCertificate(target, { signal, connector });
    throw endingAt(plainError(error, place), ends);
  } finally {
    end?.();
    for (const socket of opened) socket.destroy();
  }
}

/** Of a driver, what is not in its types. */
interface Driver {
  messageIo?: { securePair?: { cleartext?: Socket } };
}

/**
 * When the certificate ends that was refused where TLS comes before everything else: the driver shows nothing of it then.
 * Nothing is said but TLS. Nothing is known where that does not succeed, and why it was refused is told all the same.
 */
async function lookAtCertificate(
  { host, port }: MssqlTarget,
  { signal, connector }: Pick<RowQuery, "signal" | "connector">,
) {
  const place = placeName(host, port);
  try {
    const socket = await connector.tcp({ host, port }, { signal });
    const protocols = ["tds/8.0"];
    const tls = { insecureSkipVerify: true };
    const secured = await secure(socket, { host, place, protocols, tls, signal });
    const ends = certificateEnds(secured);
    secured.destroy();
    return ends;
  } catch {
    return undefined;
  }
}

class NoTls extends Error {}

function plainError(error: unknown, place: string): Error {
  const {
    code,
    message = String(error),
    cause,
  } = error as {
    code?: string;
    message?: string;
    cause?: unknown;
  };
  switch (code) {
    case "EENCRYPT":
      return /did not negotiate/.test(message)
        ? new NoTls(`${place} does not speak TLS`, { cause: error })
        : new Error(`${place} wants TLS`, { cause: error });
    case "ELOGIN":
    case "EREQUEST":
      // What the server says is a sentence already.
      return new Error(`${place}: ${message}`, { cause: error });
    case "ESOCKET":
      return cause ? describeNetworkError(cause, place) : new Error(message, { cause: error });
    case undefined:
      return error instanceof Error ? error : new Error(message);
    default:
      return describeNetworkError(error, place);
  }
}

/** Asks a database of SQL Server. @throws an error whose sentence says what it or the network says */
export async function queryMssql(target: MssqlTarget, query: RowQuery): Promise<RowsRead> {
  try {
    return await readRows(target, query);
  } catch (error) {
    if (target.encrypt !== "prefer" || !(error instanceof NoTls)) throw error;
    return readRows({ ...target, encrypt: "off" }, query);
  }
}
