import { type Probe, type ProbeInput } from "#features/connections/index.ts";
import { findCheckType } from "./check-types/index.ts";

type Spec = Record<string, unknown>;
type Connection = ProbeInput["connection"];

const value = (text: string | undefined) => (text === undefined ? undefined : { value: text });
const login = ({ url, username, password }: Connection): Spec => ({
  name: "connection",
  url,
  ...(username && { username: value(username) }),
  ...(password && { password: value(password) }),
});
const numberIn = (text: string | undefined) =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

/** A server that names neither a path nor a share is no folder. */
const hostOf = ({ url = "" }: Connection) =>
  URL.canParse(url) && url.includes("://") ? new URL(url).hostname : url;

/** Connections whose protocol a check type speaks: the check that each of them is tried by. */
const checks: Readonly<Record<string, { check: string; spec(connection: Connection): Spec }>> = {
  postgres: { check: "postgres", spec: login },
  mysql: { check: "mysql", spec: login },
  sql_server: { check: "mssql", spec: login },
  mongo: { check: "mongodb", spec: login },
  redis: {
    check: "redis",
    spec: (one) => ({ ...login(one), db: numberIn(one.properties.db) }),
  },
  sftp: {
    check: "folder",
    spec: (one) => ({
      name: "connection",
      path: one.properties.path || "/",
      sftpConnection: {
        host: hostOf(one),
        port: numberIn(one.properties.port) ?? 22,
        username: value(one.username),
        password: value(one.password),
      },
    }),
  },
  smb: {
    check: "folder",
    spec: (one) => {
      const share = one.properties.share || one.properties.sharename || "";
      return {
        name: "connection",
        path: `smb://${hostOf(one)}/${share}`,
        smbConnection: {
          port: numberIn(one.properties.port) ?? 445,
          username: value(one.username),
          password: value(one.password),
          domain: one.properties.domain,
        },
      };
    },
  },
};

/** What this server can speak of that, by the type of the connection. */
export function connectionProbes(): ReadonlyMap<string, Probe> {
  const found = Object.entries(checks).flatMap(([type, { check, spec: specOf }]) => {
    const known = findCheckType(check);
    if (!known) return [];
    const probe: Probe = async ({ connection, connector, signal }) => {
      const written = specOf(connection);
      const spec = known.spec.safeParse(JSON.parse(JSON.stringify(written)));
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
