/**
 * What ends a transaction without a word about what was in it: the same may be taken in a moment. Everything else is
 * about the data or about us, and would come again for ever.
 */
const states = new Map([
  ["08", "the connection broke, or could not be made"],
  ["28", "the database does not let us in"],
  ["3D", "the database is not there"],
  ["53", "there is no room: disk, memory, connections"],
  ["58", "the disk or the system beneath failed"],
  ["25006", "it takes no writes: a standby, or one that was demoted"],
  ["40001", "it collided with another transaction"],
  ["40003", "whether it was committed is not known"],
  ["40P01", "it collided with another transaction and one had to give way"],
  ["55P03", "somebody holds a lock for long"],
  ["57P01", "the database is being stopped"],
  ["57P02", "the database crashed and begins again"],
  ["57P03", "the database starts, or recovers"],
  ["57P05", "the connection was closed because it did nothing"],
]);

const system = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "EMFILE",
  "ENETDOWN",
  "ENETUNREACH",
  "ENFILE",
  // A socket that is not there while the database starts.
  "ENOENT",
  "ENOTCONN",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** What the driver says without a code. */
const driver =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (?:was closed|has encountered a connection error) and is not queryable|Cannot use a pool after calling end|The server does not support SSL connections|There was an error establishing an SSL connection)/;

/** Whether the same, sent again, may be taken. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code !== "string") return driver.test(error.message);
  return system.has(code) || states.has(code) || states.has(code.slice(0, 2));
}
