import { escapeIdentifier, escapeLiteral } from "pg";
import {
  connectionLost,
  createStatements,
  type NamedStatement,
  type Queryable,
  type StatementSettings,
  type ResultRow,
  type RunAlone,
} from "../connection.ts";
import type { LeanConnection, LeanPool } from "../driver.ts";
import { ApiError } from "../errors.ts";
import { isFatal, isFinalStatus, isHeader, isPgError } from "../sql-state.ts";
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
export function createSessions(pool: LeanPool, roleSettings: () => RoleSettings): Sessions {
  const statements = createStatements();

  async function use<T>(work: (connection: LeanConnection) => Promise<T>): Promise<T> {
    const connection = await connect(pool);
    let broken = false;
    try {
      return await work(connection);
    } catch (error) {
      const isLost = error instanceof Unended || isConnectionError(error);
      broken = isLost || (isPgError(error) && isFatal(error));
      throw isLost ? connectionLost(error) : error;
    } finally {
      connection.release(broken || statements.isWorn(connection));
    }
  }

  /**
   * What stands before a request's statements. It is sent with them by `together`, so that none of them runs where one of
   * these has not: under the role of who signed in, with rights that the asker has not.
   */
  function opening(
    connection: LeanConnection,
    { role, settings, preRequest }: Frame,
    { timezone }: StatementSettings,
    ofTransaction: Readonly<Record<string, string>> = {},
  ): NamedStatement[] {
    const all = new Map([
      ...(roleSettings().get(role) ?? []),
      ...Object.entries({ ...settings, ...ofTransaction, role }),
    ]);
    if (timezone !== undefined) all.set("timezone", timezone);
    const text = settingText([...all.keys()]);
    const set = statements.named(connection, { text, values: [...all.values()] });
    if (preRequest === undefined) return [set];
    const check = { text: `select ${functionName(preRequest)}()`, values: [] };
    return [set, statements.named(connection, check, role)];
  }

  /** How a transaction begins that is isolated as its role wants it, if the role says so. */
  function isolated(role: string): string | undefined {
    const level = roleSettings().get(role)?.get("default_transaction_isolation") ?? "";
    return isolation.test(level) ? `begin isolation level ${level}` : undefined;
  }

  return {
    open(frame) {
      const said: Said = { headers: [] };
      const { role } = frame;
      const alone =
        (readOnly: boolean): RunAlone =>
        (statement, settings) =>
          use(async (connection) => {
            const sent = [
              ...opening(
                connection,
                frame,
                settings,
                readOnly ? { transaction_read_only: "on" } : {},
              ),
              statements.named(connection, statement, role),
            ];
            const begin = isolated(role);
            // Sent together they are a transaction by themselves; only its isolation must be said before it.
            const answers =
              begin === undefined
                ? await connection.together(sent)
                : await orElseUndone(connection, () =>
                    connection.together([{ text: begin }, ...sent, { text: "commit" }]),
                  );
            const rows = answers.at(begin === undefined ? -1 : -2) ?? [];
            return listenTo(rows, said);
          });
      return {
        said,
        read: alone(true),
        writeAlone: alone(false),
        write: (work, settings) =>
          use(async (connection) => {
            let answered: ResultRow[] = [];
            let begun: Promise<unknown> | undefined;
            let failed: { with: unknown } | undefined;
            const sender: Queryable = {
              async query(text, values = []) {
                const statement = statements.named(connection, { text, values }, role);
                // The first goes out with what it depends on, and the next ones only after it.
                await begun;
                const sent = begun
                  ? [statement]
                  : [
                      { text: isolated(role) ?? "begin" },
                      ...opening(connection, frame, settings),
                      statement,
                    ];
                const sending = connection.together(sent);
                begun ??= sending;
                try {
                  answered = (await sending).at(-1) ?? [];
                } catch (error) {
                  failed ??= { with: error };
                  throw error;
                }
                return { rows: answered };
              },
            };
            try {
              return await orElseUndone(connection, async () => {
                const worked = await work(sender, undefined);
                // Of a transaction that has failed PostgreSQL keeps nothing, and calls that no error.
                if (failed) throw failed.with;
                await connection.query({ text: "commit" });
                return worked;
              });
            } finally {
              // Also of what is taken back. What it says wrongly is told, and the write is kept all the same.
              listenTo(answered, said);
            }
          }),
      };
    },
  };
}

/** The transaction of a connection could not be ended, so that nobody may use it any more. */
class Unended extends Error {}

/** Ends the transaction that the work has begun, when the work fails. */
async function orElseUndone<T>(connection: LeanConnection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    try {
      await connection.query({ text: "rollback" });
    } catch (cause) {
      if (!isConnectionError(error))
        throw new Unended("The transaction could not be taken back.", { cause });
    }
    throw error;
  }
}

const isConnectionError = (error: unknown): boolean =>
  error instanceof Error &&
  ("errno" in error || /Connection terminated|not queryable/.test(error.message));

async function connect(pool: LeanPool): Promise<LeanConnection> {
  try {
    return await pool.connect();
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes("timeout exceeded")) {
      throw new ApiError(504, "PGRST003", "Timed out acquiring connection from connection pool.");
    }
    throw connectionLost(cause);
  }
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
