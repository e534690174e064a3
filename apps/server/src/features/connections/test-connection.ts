import { mapConnectionSecrets } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { invalid, notFound, tooMany, unsupported } from "#platform/errors.ts";
import { splitUserInfo } from "#platform/outbound/http/address.ts";
import { exchange } from "#platform/outbound/http/exchange.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import { defineService } from "#platform/service.ts";
import type { Connection } from "./connection.ts";
import { connectionFinder } from "./connection-finder.ts";
import { aws, s3 } from "./probes/aws-probes.ts";
import { cloudProbes } from "./probes/cloud-probes.ts";
import { email } from "./probes/email-probe.ts";
import { kubernetes } from "./probes/kubernetes-probe.ts";
import { ldap } from "./probes/ldap-probe.ts";
import { folder } from "./probes/folder-probe.ts";
import { addedProbes, type Probe } from "./probes/probe.ts";
import { serviceProbes } from "./probes/service-probes.ts";
import { findRow } from "./read-connection.ts";

/** At the same time on one server. */
const mostTests = 8;

const own: Readonly<Record<string, Probe>> = {
  ...serviceProbes,
  ...cloudProbes,
  aws,
  s3,
  kubernetes,
  ldap,
  email,
  folder,
};

export const connectionTests = defineService("connection tests", () => ({
  underWay: 0,
  timeoutMs: 20_000,
}));

/** Really connects. Refuses with the reason when the other side does. */
export async function testConnection(ctx: Ctx, id: string): Promise<{ message: "ok" }> {
  ctx.require("connections", "write");
  const row = await findRow(ctx.db, { by: "id", id });
  if (!row) throw notFound("connection was not found");
  const probe = ctx.service(addedProbes).get(row.type) ?? own[row.type];
  if (!probe) throw unsupported("not implemented");
  // They look into the server's own machine, or run a program on it.
  if (row.type === "folder" || row.type === "restic") ctx.require("server_code", "write");
  const tests = ctx.service(connectionTests);
  const { timeoutMs } = tests;
  if (tests.underWay >= mostTests) throw tooMany("Many connections are being tested: try again.");
  tests.underWay += 1;
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(timeoutMs)]);
  let hider: ReturnType<typeof createHider>;
  try {
    const asker = { namespace: row.namespace, signal };
    const connection = await ctx.service(connectionFinder).findFresh(id, asker);
    hider = createHider(secretsOf(connection));
    const connector = openConnector(ctx.config);
    await probe({
      connection,
      config: ctx.config,
      connector,
      signal,
      send: (request) => exchange(request, { signal, connector }),
    });
    return { message: "ok" };
  } catch (error) {
    ctx.signal.throwIfAborted();
    const message = signal.aborted
      ? `There was no answer within ${timeoutMs / 1000} seconds.`
      : error instanceof Error
        ? error.message
        : String(error);
    throw invalid(hider ? hider.message(message) : message);
  } finally {
    tests.underWay -= 1;
  }
}

/** Everything in an open connection that answers and errors may repeat. */
function secretsOf({
  type,
  url,
  username,
  password,
  certificate,
  properties,
}: Connection): string[] {
  const secrets: string[] = [];
  mapConnectionSecrets({ type, url, username, password, certificate, properties }, ({ value }) => {
    secrets.push(String(value));
    return value;
  });
  // As Basic sends them: together, and those in the address as well.
  const pairs = [
    { username, password },
    ...(url && URL.canParse(url) ? userInfoOf(new URL(url)) : []),
  ];
  return [
    ...secrets,
    ...pairs.flatMap((one) =>
      one.password ? [one.password, `${one.username ?? ""}:${one.password}`] : [],
    ),
  ];
}

function userInfoOf(url: URL): { username: string; password: string }[] {
  const { credentials } = splitUserInfo(url);
  return credentials ? [credentials] : [];
}
