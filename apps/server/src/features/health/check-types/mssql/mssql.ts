import type { Socket } from "node:net";
import { checkSpecs, type MssqlSpec } from "@mainstay/contract";
import type { ConnectionConfiguration } from "tedious";
import type { Connector } from "#platform/outbound/connector.ts";
import {
  describeNetworkError,
  errorCode,
  isCertificateCode,
  placeName,
} from "#platform/outbound/network-errors.ts";
import { certificateEnds, endingAt, secure, watchCertificate } from "#platform/outbound/tls.ts";
import { attempt, checkType, type CheckOutcome, failed } from "../check-type.ts";
import { certificateExpiry } from "../expiry.ts";
import { judgeRows, mostReceived, queryTime, RowCollector } from "../sql-outcome.ts";
import { type MssqlTarget, namesInstance, readMssqlTarget } from "./target.ts";

const defaultQuery = "SELECT 1";
/** Time is kept by the signal alone; the driver wants a number. */
const noTimeMs = 86_400_000;
/** The type of the packet in which a server answers the first one. */
const firstAnswer = 0x04;
/** Bytes of binary values that are shown. */
const shownBytes = 256;

interface QueryInput {
  spec: MssqlSpec;
  target: MssqlTarget;
  signal: AbortSignal;
  connector: Connector;
}

/** A server may send a client on to another; the address policy has its say about that one too. */
type OpenSocket = (to?: { host: string; port: number }) => Promise<Socket>;

function configuration(
  { target, spec }: QueryInput,
  connector: OpenSocket,
): ConnectionConfiguration {
  const { ca, cert, key } = spec.tlsConfig ?? {};
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
      trustServerCertificate: target.trusts || spec.tlsConfig?.insecureSkipVerify === true,
      cryptoCredentialsDetails: {
        ...(ca?.value && { ca: ca.value }),
        ...(cert?.value && { cert: cert.value }),
        ...(key?.value && { key: key.value }),
      },
      connectTimeout: noTimeMs,
      requestTimeout: 0,
      maxRetriesOnTransientErrors: 0,
      useUTC: true,
    },
  };
}

const shown = (value: unknown) =>
  Buffer.isBuffer(value) ? `0x${value.subarray(0, shownBytes).toString("hex")}` : value;

async function runQuery(input: QueryInput): Promise<CheckOutcome> {
  const { spec, target, signal, connector } = input;
  const place = placeName(target.host, target.port);
  // Loaded by the first such check: it is much that most servers never need.
  const { Connection, Request } = await import("tedious");
  const started = performance.now();
  const collected = new RowCollector();
  const opened: Socket[] = [];
  let end: (() => void) | undefined;
  let ends: Date | undefined;
  try {
    return await new Promise<CheckOutcome>((fulfil, reject) => {
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
        socket.on("data", () => {
          watch();
          if (socket.bytesRead > mostReceived)
            reject(
              new Error(`${place} sent more than ${mostReceived} bytes; the query was stopped`),
            );
        });
        return socket;
      };
      const connection = new Connection(configuration(input, open));
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
      const done = () => {
        const outcome = judgeRows(collected, spec.results, performance.now() - started);
        fulfil({ ...outcome, ...certificateExpiry(ends) });
      };
      end = () => {
        signal.removeEventListener("abort", stop);
        connection.close();
      };
      connection.on("error", reject);
      connection.on("end", () => reject(new Error(`${place} closed the connection`)));
      const request = new Request(spec.query ?? defaultQuery, (error) => {
        if (error) reject(error);
        else done();
      });
      request.on("row", (columns: { metadata: { colName: string }; value: unknown }[]) => {
        const row = Object.fromEntries(
          columns.map(({ metadata, value }) => [metadata.colName, shown(value)]),
        );
        // What is left of the query ends with the connection.
        if (!collected.add(row)) done();
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
      ends ??= await lookAtCertificate(input);
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
async function lookAtCertificate({ target, signal, connector }: QueryInput) {
  const { host, port } = target;
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

export const mssql = checkType<MssqlSpec>({
  type: "mssql",
  spec: checkSpecs.mssql,
  network: true,
  endpoint(spec) {
    const target = readMssqlTarget(spec);
    return target
      ? `${placeName(target.host, target.port)}${target.database ? `/${target.database}` : ""}`
      : "";
  },
  async run(input) {
    const { spec, connector } = input;
    if (namesInstance(spec))
      return failed("the url names an instance; name its port instead, for example host:1433", {
        invalid: true,
      });
    const target = readMssqlTarget(spec);
    if (!target)
      return failed(
        "the url is not an SQL Server address such as sqlserver://user@host:1433?database=db",
        { invalid: true },
      );
    const time = queryTime(input);
    return attempt(time, async () => {
      const query = { spec, target, signal: time.signal, connector };
      try {
        return await runQuery(query);
      } catch (error) {
        if (target.encrypt !== "prefer" || !(error instanceof NoTls)) throw error;
        return runQuery({ ...query, target: { ...target, encrypt: "off" } });
      }
    });
  },
});
