import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { type CanaryDocument, ownSource, parseCanaryDocuments } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import { saveRow } from "#platform/documents/document-rows.ts";
import { refusedSecrets } from "#platform/sealing/sealing-refusal.ts";
import type { ScheduledJob } from "#platform/jobs/job.ts";
import { codeOff } from "#platform/require-code.ts";
import { canaryKind } from "./documents/canary-kind.ts";
import { hashToken } from "./documents/sync-calls.ts";
import type { SelfAddress } from "./self-address.ts";

const SOURCE = ownSource;
const NAME = "mainstay";
const HEARTBEAT = "scheduler";
/** Row of `migration_logs` that says that these checks were made once; deleted ones stay deleted. */
const MARKER = "seed:self-checks";
const FREE_SPACE = "free space";
const LEAST_FREE_SPACE = "1gb";

interface SelfChecksInput extends SelfAddress {
  /** Where it really listens. */
  port: number;
  config: Pick<
    Config,
    "selfChecks" | "dataDir" | "databaseUrl" | "publicUrl" | "host" | "checkerOnly" | "checkerWrite"
  >;
}

/** Mainstay watches itself and its machine, from the very first start on a database without any document. */
export async function createSelfChecks(ctx: Ctx, input: SelfChecksInput): Promise<boolean> {
  if (!input.config.selfChecks) return false;
  return ctx.tx(async (tx) => {
    const isFirst = await tx.run(sql`
      insert into migration_logs (path, hash) values (${MARKER}, '') on conflict (path) do nothing`);
    if (isFirst === 0) {
      await bringUpToDate(ctx, input);
      return false;
    }
    const others = await tx.first(sql`select from canaries limit 1`);
    if (others) return false;
    await saveRow(ctx, tx, canaryKind, { document: selfDocument(input), source: SOURCE });
    return true;
  });
}

/** What of our own document is looked at again at each start. */
interface OwnSpec {
  http?: { name?: string; url?: string; description?: string }[];
  exec?: { name?: string; script?: string }[];
  tcp?: { name?: string; endpoint?: string }[];
  folder?: { name?: string; path?: string }[];
}

/** The document is ours as long as it has our source: it follows the server when that moves, and when our checks change. */
async function bringUpToDate(ctx: Ctx, input: SelfChecksInput): Promise<void> {
  const row = await ctx.db.first<{ spec: OwnSpec }>(sql`
    select spec from canaries where name = ${NAME} and namespace = ${NAME} and source = ${SOURCE} and deleted_at is null`);
  if (!row) return;
  const text = JSON.stringify(moved(withoutScript(row.spec, input), input));
  if (text === JSON.stringify(row.spec)) return;
  const document = readOne(text, true);
  await ctx
    .tx((tx) => saveRow(ctx, tx, canaryKind, { document, source: SOURCE }))
    .catch((error: unknown) => {
      // Somebody gave these checks a password, and it is for the address before.
      if (!refusedSecrets(error)) throw error;
      ctx.log.warn(
        "Mainstay's own checks still go to the address before: write their passwords again.",
      );
    });
}

function moved(spec: OwnSpec, input: SelfChecksInput): OwnSpec {
  const { databaseUrl, publicUrl } = input.config;
  // With a database of its own there is one server; of several none could say which address counts but PUBLIC_URL.
  if (databaseUrl && (!publicUrl || input.unreachable !== undefined)) return spec;
  const before = spec.http?.find((check) => check.name === "answers")?.url;
  const oldAddress = before?.replace(/\/api\/_health$/, "");
  const text = JSON.stringify(spec);
  const there = JSON.parse(
    oldAddress === undefined ? text : text.replaceAll(`${oldAddress}/`, `${input.address}/`),
  ) as OwnSpec;
  const http = there.http?.map((check) => {
    const own = check.description?.split(ASKED_AT, 1)[0];
    const known = asked.find(({ name, description }) => name === check.name && description === own);
    return known ? { ...check, description: described(known.description, input) } : check;
  });
  const [current] = nameResolution(input);
  const tcp = there.tcp?.map((check) =>
    check.name === current?.name && /^localhost:\d+$/.test(check.endpoint ?? "")
      ? { ...check, endpoint: current?.endpoint }
      : check,
  );
  // The folder of before is gone: the data directory has moved.
  const folder = there.folder?.map((check) =>
    check.name === FREE_SPACE && !existsSync(check.path ?? "")
      ? { ...check, path: input.config.dataDir }
      : check,
  );
  return { ...there, ...(http && { http }), ...(tcp && { tcp }), ...(folder && { folder }) };
}

/** What this server is asked. */
const asked = [
  {
    name: "answers",
    description: "This server answers.",
    path: "/api/_health",
    wanted: { responseContent: '"ok"' },
  },
  {
    name: "database",
    description: "This server reaches its database.",
    path: "/api/_ready",
    wanted: { responseCodes: [200] },
  },
];

const ASKED_AT = " Asked at ";

const described = (description: string, { unreachable, address }: SelfAddress) =>
  unreachable === undefined
    ? description
    : `${description}${ASKED_AT}${address}: ${unreachable} (PUBLIC_URL) was not reachable from here at the last start.`;

/** The script that our document had when scripts ran as the server itself; one that somebody has changed stays. */
const OLD_SCRIPT = 'getent hosts "$(uname -n)" || getent hosts localhost';

function withoutScript(spec: OwnSpec, input: SelfChecksInput): OwnSpec {
  const { exec = [], ...rest } = spec;
  const others = exec.filter((check) => check.script !== OLD_SCRIPT);
  if (others.length === exec.length) return spec;
  const tcp = [...(spec.tcp ?? []), ...nameResolution(input)];
  return { ...rest, ...(others.length > 0 && { exec: others }), ...(tcp.length > 0 && { tcp }) };
}

function selfDocument(input: SelfChecksInput): CanaryDocument {
  const { address, config } = input;
  const names = nameResolution(input);
  return readOne(
    JSON.stringify({
      interval: 30,
      icon: "activity",
      labels: { app: "mainstay" },
      http: asked.map(({ name, description, path, wanted }) => ({
        name,
        description: described(description, input),
        url: `${address}${path}`,
        ...wanted,
      })),
      ...(names.length > 0 && { tcp: names }),
      ...freeSpace(config),
      heartbeat: [
        {
          name: HEARTBEAT,
          description: "The scheduler runs what is due.",
          every: "30s",
          grace: "30s",
        },
      ],
    }),
    true,
  );
}

/** Left out where nothing may look at the machine's folders. */
function freeSpace(config: SelfChecksInput["config"]): Record<string, unknown> {
  if (codeOff(config) !== undefined) return {};
  const path = config.databaseUrl ? tmpdir() : config.dataDir;
  const description = "There is room where the data lies.";
  return { folder: [{ name: FREE_SPACE, description, path, availableSize: LEAST_FREE_SPACE }] };
}

/**
 * Asked the way programs of this machine ask, not one name server: the hosts file counts. Only where this server is sure
 * to answer at that name: not when it listens on one outer address, and not for servers elsewhere that share a database.
 */
function nameResolution({ port, config }: SelfChecksInput) {
  const answers = ["127.0.0.1", "::1", "localhost", "0.0.0.0", "::"].includes(config.host);
  if (!answers || config.databaseUrl) return [];
  const description = "The name localhost leads to this machine.";
  return [{ name: "name resolution", description, endpoint: `localhost:${port}` }];
}

function readOne(text: string, bare: boolean): CanaryDocument {
  const { documents, problems } = parseCanaryDocuments(text, { bare, name: NAME, namespace: NAME });
  const [document] = documents;
  if (!document)
    throw new Error(`The document of Mainstay's own checks is wrong: ${problems[0]?.message}`);
  return document;
}

/** The beat that the heartbeat among our own checks waits for: it comes as long as the scheduler works. */
export const selfHeartbeat: ScheduledJob = {
  name: "SelfHeartbeat",
  schedule: "@every 30s",
  timeoutMs: 10_000,
  retention: "few",
  atStart: true,
  async run(ctx) {
    const beats = await ctx.db.run(sql`
      insert into check_beats (check_id, token_hash, last_beat)
      select c.id, ${hashToken(randomBytes(24).toString("base64url"))}, now()
        from checks c join canaries y on y.id = c.canary_id
       where y.name = ${NAME} and y.namespace = ${NAME} and y.source = ${SOURCE} and y.deleted_at is null
         and c.type = 'heartbeat' and c.name = ${HEARTBEAT} and c.deleted_at is null
      on conflict (check_id) do update set last_beat = excluded.last_beat`);
    return { successes: beats, errors: [] };
  },
};
