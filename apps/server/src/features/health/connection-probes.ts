import { fillConnection, type Probe, type ProbeInput } from "#features/connections/index.ts";
import { findCheckType } from "./check-types/index.ts";

/** The check that a connection is tried by, and where in it the connection is named. */
interface TriedBy {
  check: string;
  /** The object that names it, where that is not the check itself. */
  within?: string;
  beside?(connection: ProbeInput["connection"]): Record<string, unknown>;
}

/** Connections whose protocol a check type speaks. */
const checks: Readonly<Record<string, TriedBy>> = {
  postgres: { check: "postgres" },
  mysql: { check: "mysql" },
  sql_server: { check: "mssql" },
  mongo: { check: "mongodb" },
  redis: { check: "redis" },
  sftp: {
    check: "folder",
    within: "sftpConnection",
    beside: ({ properties }) => ({ path: properties.path || "/" }),
  },
  smb: { check: "folder", within: "smbConnection", beside: () => ({ path: "/" }) },
  restic: { check: "restic" },
  git: {
    check: "gitProtocol",
    beside: ({ url, username, password }) => ({
      repository: url ?? "",
      // A token alone is a password of whoever it belongs to.
      ...(!username && password && { username: "git" }),
    }),
  },
};

/** A check with the connection in its place, as the runner fills one in. */
function writtenCheck({ check, within, beside }: TriedBy, connection: ProbeInput["connection"]) {
  const spec: Record<string, unknown> = { name: "connection", ...beside?.(connection) };
  if (within !== undefined) spec[within] = {};
  const keys = within === undefined ? [] : [within];
  const place = { keys, key: "connection", reference: "" } as const;
  fillConnection(spec, place, connection, { noun: "check", type: check });
  return spec;
}

/** What this server can speak of that, by the type of the connection. */
export function connectionProbes(): ReadonlyMap<string, Probe> {
  const found = Object.entries(checks).flatMap(([type, triedBy]) => {
    const known = findCheckType(triedBy.check);
    if (!known) return [];
    const probe: Probe = async ({ connection, connector, signal }) => {
      const spec = known.spec.safeParse(writtenCheck(triedBy, connection));
      if (!spec.success)
        throw new Error(spec.error.issues[0]?.message ?? "The connection says too little.");
      const { namespace } = connection;
      const outcome = await known.run({
        spec: spec.data,
        namespace,
        signal,
        connector,
        timeoutMs: 20_000,
      });
      // What the check would judge of the target besides counts for nothing here.
      if (!outcome.pass && !outcome.isDefaultVerdict)
        throw new Error(outcome.error ?? "The connection does not work.");
    };
    return [[type, probe] as const];
  });
  return new Map(found);
}
