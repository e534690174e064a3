import type { Socket } from "node:net";
import type { EnvVar } from "@mainstay/contract";
import type { Connector } from "../connector.ts";

/** How documents say where a database is and who signs in. */
export interface SqlFields {
  /** An address, in any form that clients of the database read. */
  url?: string | undefined;
  /** The same, where there is no `url`. */
  connection?: string | undefined;
  /** Over those in the address, which may name them as `$(username)` and `$(password)`. */
  username?: EnvVar | undefined;
  password?: EnvVar | undefined;
}

/** One query, and what becomes of its rows. */
export interface RowQuery {
  query: string;
  /** What stands for `$1` and so on; PostgreSQL alone takes them. */
  values?: readonly unknown[];
  /** Keeps the time. What an abandoned query does on the server is stopped, where the server lets it. */
  signal: AbortSignal;
  /** Milliseconds after which a server that keeps time itself is to stop the query. */
  limitMs: number;
  connector: Connector;
  /**
   * Takes a row with its columns by name, in the values of the driver; false when no more are wanted. It must not throw:
   * drivers call it where nobody could catch that.
   */
  row(row: Record<string, unknown>): boolean;
}

/** What is known when a query has ended, or no more of its rows were wanted. */
export interface RowsRead {
  /** From opening the connection on, in milliseconds. */
  durationMs: number;
  /** The end of the server's certificate, over TLS. */
  ends?: Date | undefined;
}

/**
 * A 64-bit integer, which drivers hand over as its digits: the number, so that scripts count with it, and the digits alone
 * of one that a number does not hold exactly.
 */
export function integerOf(digits: string): number | string {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : digits;
}

/** Bytes that a database may send. */
const mostReceived = 64 * 1024 * 1024;

/** Tells when a database has sent too much. Of TLS that a driver puts around its socket both are limited. */
export function limitReceived(stream: Socket, place: string, tell: (error: Error) => void): void {
  stream.on("data", () => {
    if (stream.bytesRead > mostReceived)
      tell(new Error(`${place} sent more than ${mostReceived} bytes; the query was stopped`));
  });
}
