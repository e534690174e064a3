import pg from "pg";
import { escapeIdentifier } from "pg";

export interface SchemaWatch {
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface WatchOptions {
  dbUri: string;
  dbChannel: string;
  dbChannelEnabled: boolean;
}

/** How long to wait before connecting again: doubling, up to this. */
const longestWaitMs = 32_000;

/** Reads the schema again when a notification, or `SIGUSR1`, says so. Requests go on with the old one meanwhile. */
export function createSchemaWatch(
  { dbUri, dbChannel, dbChannelEnabled }: WatchOptions,
  load: () => Promise<void>,
  log: (level: "error" | "info", message: string) => void,
): SchemaWatch {
  let client: pg.Client | undefined;
  let isStopped = false;
  let again: NodeJS.Timeout | undefined;
  let waitMs = 1000;

  const reload = () => {
    load().then(
      () => log("info", "The schema was loaded again."),
      (error: unknown) => log("error", `The schema could not be loaded again: ${String(error)}`),
    );
  };

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ connectionString: dbUri, application_name: "data-api listener" });
    let isLost = false;
    const lost = (error?: Error) => {
      if (isLost || isStopped) return;
      isLost = true;
      log("error", `The notifications were lost: ${error?.message ?? "the connection ended"}`);
      fresh.end().catch(() => undefined);
      retry();
    };
    fresh.on("error", lost);
    fresh.on("end", () => lost());
    fresh.on("notification", ({ payload }) => {
      if (payload === "" || payload === "reload schema" || payload === "reload config") reload();
    });
    await fresh.connect();
    await fresh.query(`listen ${escapeIdentifier(dbChannel)}`);
    client = fresh;
    waitMs = 1000;
  }

  function retry(): void {
    again = setTimeout(() => {
      // What changed while nobody listened is not known.
      connect().then(reload, (error: unknown) => {
        log("error", `The database cannot be reached: ${String(error)}`);
        waitMs = Math.min(waitMs * 2, longestWaitMs);
        retry();
      });
    }, waitMs);
  }

  return {
    async start() {
      process.on("SIGUSR1", reload);
      if (dbChannelEnabled) await connect();
    },
    async stop() {
      isStopped = true;
      clearTimeout(again);
      process.off("SIGUSR1", reload);
      await client?.end();
    },
  };
}
