import { escapeIdentifier, escapeLiteral, type Pool, type PoolClient } from "pg";
import {
  connectionLost,
  createStatements,
  type Queryable,
  type StatementSettings,
  type ResultRow,
  type RunAlone,
  type Statement,
} from "../connection.ts";
import { ApiError } from "../errors.ts";
import { isFinalStatus, isHeader } from "../sql-state.ts";
import type { DataApiRequest } from "../request.ts";

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

export interface Session extends Required<
  Pick<DataApiRequest<undefined>, "read" | "write" | "writeAlone">
> {
  said: Said;
}

export interface Sessions {
  open(frame: Frame): Session;
}

const isolation = /^(read uncommitted|read committed|repeatable read|serializable)$/i;

/** Runs what a request asks in transactions of its role, with the settings that SQL code can read. */
export function createSessions(pool: Pool, roleSettings: () => RoleSettings): Sessions {
  const statements = createStatements();

  async function use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect(pool);
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      broken = true;
      throw connectionLost(error);
    } finally {
      client.release(broken || statements.isWorn(client));
    }
  }

  /**
   * The begin is a message of its own, and settings are parameters: should the database refuse one (a null character in
   * a claim), what follows finds a transaction that has failed, not none.
   */
  async function begin(
    client: PoolClient,
    frame: Frame,
    settings: StatementSettings,
    readOnly: boolean,
  ): Promise<void> {
    const ofRole = roleSettings().get(frame.role);
    const outcomes = await Promise.allSettled([
      client.query(beginSql(readOnly, ofRole)),
      statements.send(client, settingsSql(frame, settings, ofRole)),
      frame.preRequest && client.query(`select ${functionName(frame.preRequest)}()`),
    ]);
    // The first failure is the cause of those behind it.
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed) throw failed.reason;
  }

  return {
    open(frame) {
      const said: Said = { headers: [] };
      // All messages are sent at once; when one fails the next ones do nothing.
      const alone =
        (readOnly: boolean): RunAlone =>
        (statement, settings) =>
          use(async (client) => {
            const [begun, rows, ended] = atOnce(
              client,
              () =>
                [
                  begin(client, frame, settings, readOnly),
                  statements.send(client, statement, frame.role),
                  client.query("commit"),
                ] as const,
            );
            await Promise.allSettled([begun, rows, ended]);
            await begun;
            await rows;
            await ended;
            return listenTo(await rows, said);
          });
      return {
        said,
        read: alone(true),
        writeAlone: alone(false),
        write: (work, settings) =>
          use(async (client) => {
            let answered: ResultRow[] = [];
            const sender: Queryable = {
              async query(text, values = []) {
                answered = await statements.send(client, { text, values }, frame.role);
                return { rows: answered };
              },
            };
            const [begun, worked] = atOnce(
              client,
              () => [begin(client, frame, settings, false), work(sender, undefined)] as const,
            );
            const [first, result] = await Promise.allSettled([begun, worked]);
            const isDone = first.status === "fulfilled" && result.status === "fulfilled";
            await client.query(isDone ? "commit" : "rollback");
            await begun;
            // What it says wrongly is told, and the write is kept all the same.
            listenTo(answered, said);
            return worked;
          }),
      };
    },
  };
}

/** What is sent meanwhile goes out together; otherwise each message is a system call of its own. */
function atOnce<T>({ connection: { stream } }: PoolClient, send: () => T): T {
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
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

function beginSql(readOnly: boolean, ofRole?: ReadonlyMap<string, string>): string {
  const level = ofRole?.get("default_transaction_isolation") ?? "";
  const begun = `begin${readOnly ? " read only" : ""}`;
  // Set inside, as a standby refuses one of them: in a begin that fails, what follows would run as who signed in.
  return isolation.test(level) ? `${begun}; set transaction isolation level ${level}` : begun;
}

function settingsSql(
  { role, settings }: Frame,
  { timezone }: StatementSettings,
  ofRole: ReadonlyMap<string, string> = new Map(),
): Statement {
  const all = new Map<string, string>([...ofRole, ...Object.entries(settings), ["role", role]]);
  if (timezone !== undefined) all.set("timezone", timezone);
  return { text: settingText([...all.keys()]), values: [...all.values()] };
}

/** The statements that make settings, by the names of those: they are few. */
const settingTexts = new Map<string, string>();
const mostSettingTexts = 1_000;

/** One number comes back, not every setting. As items of a list they may be any number; arguments may be a hundred. */
function settingText(names: readonly string[]): string {
  const key = JSON.stringify(names);
  const known = settingTexts.get(key);
  if (known !== undefined) return known;
  const made = names.map(
    (name, index) => `set_config(${escapeLiteral(name)}, $${index + 1}, true)`,
  );
  const text = `select cardinality(array[${made.join(", ")}])`;
  if (settingTexts.size >= mostSettingTexts) settingTexts.clear();
  settingTexts.set(key, text);
  return text;
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

/** Reads `response.status` and `response.headers`, which come with the row of an answer. */
function listenTo(rows: ResultRow[], said: Said): ResultRow[] {
  const { response_status: status, response_headers: headers } = rows[0] ?? {};
  if (typeof status === "string") {
    if (!/^\d+$/.test(status) || !isFinalStatus(Number(status))) throw wrongStatus();
    said.status = Number(status);
  }
  if (typeof headers === "string") said.headers = readHeaders(headers);
  return rows;
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
    if (entries.length !== 1 || typeof given !== "string" || !isHeader(name, given))
      throw wrongHeaders();
    return [name, given];
  });
}
