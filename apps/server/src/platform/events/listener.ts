import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";

const HEALTH_EVERY_MS = 15_000;
const HEALTH_TIMEOUT_MS = 5_000;
const RECONNECT_MS = { first: 200, longest: 10_000 };

/** `undefined` means: the connection was just made again, anything may have been missed. */
export type NotificationHandler = (payload: string | undefined) => void;

/** One connection that hears what the database announces, for every part of this process. */
export interface Listener {
  /** Resolves when the database listens; the function it gives stops the deliveries. */
  on(channel: string, handler: NotificationHandler): Promise<() => void>;
  close(): Promise<void>;
}

/**
 * Keeps a LISTEN connection alive. A notification is a hint and never the only way to learn something: whoever
 * listens also looks by itself from time to time.
 */
export function createListener({ db, log }: { db: Database; log: Log }): Listener {
  const handlers = new Map<string, Set<NotificationHandler>>();
  const closing = new AbortController();
  let connection: Promise<pg.Client> | undefined;

  async function open(): Promise<pg.Client> {
    const client = await db.connect();
    const check = setInterval(() => {
      const query: pg.QueryConfig & { query_timeout: number } = {
        text: "select 1",
        query_timeout: HEALTH_TIMEOUT_MS,
      };
      client.query(query).catch((error: Error) => lose(error));
    }, HEALTH_EVERY_MS);
    check.unref();
    let lost = false;
    const lose = (error?: Error) => {
      clearInterval(check);
      if (lost) return;
      lost = true;
      client.removeListener("notification", deliver);
      // A connection that no longer answers may never confirm its end.
      client.end().catch(() => undefined);
      if (closing.signal.aborted) return;
      log.warn(
        { err: error },
        "the connection that listens to the database was lost; connecting again",
      );
      connection = reopen();
      connection.catch(() => undefined);
    };
    client.on("notification", deliver);
    client.on("end", () => lose());
    try {
      for (const channel of handlers.keys())
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      lost = true;
      clearInterval(check);
      client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }

  async function reopen(): Promise<pg.Client> {
    for (let wait = RECONNECT_MS.first; ; wait = Math.min(wait * 2, RECONNECT_MS.longest)) {
      await delay(wait, undefined, { signal: closing.signal, ref: false });
      try {
        const client = await open();
        for (const set of handlers.values()) for (const handler of set) handler(undefined);
        return client;
      } catch (error) {
        log.warn({ err: error }, "cannot listen to the database; trying again");
      }
    }
  }

  function deliver({ channel, payload }: pg.Notification) {
    for (const handler of handlers.get(channel) ?? []) handler(payload ?? "");
  }

  return {
    async on(channel, handler) {
      const known = handlers.get(channel);
      if (known) {
        known.add(handler);
        await connection;
      } else {
        handlers.set(channel, new Set([handler]));
        if (connection) {
          const client = await connection;
          await client.query(`listen ${client.escapeIdentifier(channel)}`);
        } else {
          connection = open();
          await connection;
        }
      }
      return () => {
        handlers.get(channel)?.delete(handler);
      };
    },
    async close() {
      closing.abort();
      handlers.clear();
      const client = await connection?.catch(() => undefined);
      await client?.end();
    },
  };
}
