import { escapeIdentifier, escapeLiteral, type Pool, type PoolClient } from "pg";
import type { Sql } from "sql-template-tag";
import {
  connectionLost,
  createStatements,
  type ReadSettings,
  type ResultRow,
} from "../connection.ts";
import { ApiError } from "../errors.ts";
import type { DataApiRequest } from "../request.ts";
import { isPgError } from "../sql-state.ts";

/** Settings that a database gives to a role, by their names. */
export type RoleSettings = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What holds in the transactions of one request. */
export interface Frame {
  role: string;
  /** Settings by name, `search_path` among them. */
  settings: Readonly<Record<string, string>>;
  preRequest?: string;
}

/** What the database's own code wants said with the answer. */
export interface Said {
  status?: number;
  headers: [name: string, value: string][];
}

export interface Session extends Required<Pick<DataApiRequest<undefined>, "read" | "write">> {
  said: Said;
}

export interface Sessions {
  open(frame: Frame): Session;
}

const isolation = /^(read uncommitted|read committed|repeatable read|serializable)$/i;

/** Runs what a request asks in transactions of its role, with the settings that SQL code can read. */
export function createSessions(pool: Pool, roleSettings: () => RoleSettings): Sessions {
  const statements = createStatements();

  async function run<T>(
    frame: Frame,
    said: Said,
    settings: Partial<ReadSettings> & { readOnly: boolean },
    work: (client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await connect(pool);
    let broken = false;
    try {
      await client.query(beginSql(frame, settings, roleSettings().get(frame.role)));
      const result = await work(client).catch(async (error: unknown) => {
        // Thrown to undo what was done; what SQL code said about the answer still counts.
        if (!isPgError(error) && !(error instanceof ApiError)) await listen(client, said);
        throw error;
      });
      await listen(client, said);
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => (broken = true));
      if (isPgError(error) || error instanceof ApiError || !isConnectionError(error)) throw error;
      broken = true;
      throw connectionLost(error);
    } finally {
      client.release(broken || statements.isWorn(client));
    }
  }

  return {
    open(frame) {
      const said: Said = { headers: [] };
      return {
        said,
        read: (statement: Sql, settings) =>
          run(frame, said, { ...settings, readOnly: true }, (client) =>
            statements.send(client, statement),
          ),
        write: (work) =>
          run(frame, said, { readOnly: false }, (client) =>
            work({ query: (text, values) => sendText(client, text, values) }, undefined),
          ),
      };
    },
  };

  async function sendText(
    client: PoolClient,
    text: string,
    values: unknown[] = [],
  ): Promise<{ rows: ResultRow[] }> {
    return { rows: await statements.send(client, { text, values } as Sql) };
  }
}

const isConnectionError = (error: unknown): boolean =>
  error instanceof Error &&
  ("errno" in error || /Connection terminated|not queryable/.test(error.message));

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes("timeout exceeded")) {
      throw new ApiError(504, "PGRST003", "Timed out acquiring connection from connection pool.");
    }
    throw connectionLost(cause);
  }
}

/** Everything before the statement, as one message to the database. */
function beginSql(
  { role, settings, preRequest }: Frame,
  { readOnly, timezone }: Partial<ReadSettings> & { readOnly: boolean },
  ofRole: ReadonlyMap<string, string> = new Map(),
): string {
  const level = ofRole.get("default_transaction_isolation") ?? "";
  const begin = `begin${isolation.test(level) ? ` isolation level ${level}` : ""}${readOnly ? " read only" : ""}`;
  const all = Object.entries({
    ...Object.fromEntries(ofRole),
    ...settings,
    role,
    ...(timezone === undefined ? {} : { timezone }),
  });
  const set = all.map(
    ([name, value]) => `set_config(${escapeLiteral(name)}, ${escapeLiteral(value)}, true)`,
  );
  const before = preRequest === undefined ? "" : `; select ${functionName(preRequest)}()`;
  return `${begin}; select ${set.join(", ")}${before}`;
}

export const functionName = (name: string): string =>
  name
    .split(".")
    .map((part) => escapeIdentifier(part.replace(/^"(.*)"$/, "$1")))
    .join(".");

const wrongStatus = () =>
  new ApiError(500, "PGRST112", "response.status guc must be a valid status code");

const wrongHeaders = () =>
  new ApiError(
    500,
    "PGRST111",
    "response.headers guc must be a JSON array composed of objects with a single key and a string value",
  );

/** Reads `response.status` and `response.headers`, which SQL code may have set. */
async function listen(client: PoolClient, said: Said): Promise<void> {
  const { rows } = await client.query<{ status: string | null; headers: string | null }>(
    "select nullif(current_setting('response.status', true), '') as status, nullif(current_setting('response.headers', true), '') as headers",
  );
  const { status, headers } = rows[0] ?? { status: null, headers: null };
  if (status !== null) {
    if (!/^[1-9]\d\d$/.test(status)) throw wrongStatus();
    said.status = Number(status);
  }
  if (headers !== null) said.headers = readHeaders(headers);
}

function readHeaders(text: string): [string, string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrongHeaders();
  }
  if (!Array.isArray(value)) throw wrongHeaders();
  return value.map((one: unknown) => {
    const entries = typeof one === "object" && one !== null ? Object.entries(one) : [];
    const [[name, given] = ["", undefined]] = entries;
    if (entries.length !== 1 || typeof given !== "string") throw wrongHeaders();
    return [name, given];
  });
}
