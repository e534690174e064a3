import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { type CanaryDocument, parseCanaryDocuments } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import type { ScheduledJob } from "#platform/jobs/job.ts";
import { codeOff } from "#platform/require-code.ts";
import { hashToken } from "./documents/sync-checks.ts";
import { saveCanary } from "./documents/save-documents.ts";

const SOURCE = "mainstay";
const NAME = "mainstay";
const HEARTBEAT = "scheduler";
/** Row of `migration_logs` that says that these checks were made once; deleted ones stay deleted. */
const MARKER = "seed:self-checks";
const LEAST_FREE_SPACE = "1gb";

interface SelfChecksInput {
  /** Where this server answers. */
  address: string;
  config: Pick<Config, "selfChecks" | "dataDir" | "databaseUrl" | "checkerOnly" | "checkerWrite">;
}

/** Mainstay watches itself and its machine, from the very first start on a database without any document. */
export async function createSelfChecks(ctx: Ctx, input: SelfChecksInput): Promise<boolean> {
  if (!input.config.selfChecks) return false;
  return ctx.tx(async (tx) => {
    const isFirst = await tx.run(sql`
      insert into migration_logs (path, hash) values (${MARKER}, '') on conflict (path) do nothing`);
    if (isFirst === 0) {
      await moveAddress(ctx, input);
      return false;
    }
    const others = await tx.first(sql`select from canaries limit 1`);
    if (others) return false;
    await saveCanary(ctx, tx, { document: selfDocument(input), source: SOURCE });
    return true;
  });
}

/** The document is ours as long as it has our source: it follows the server when that moves to another address. */
async function moveAddress(ctx: Ctx, input: SelfChecksInput): Promise<void> {
  // With a database of its own there is one server; of several none could say which address counts.
  if (input.config.databaseUrl) return;
  const row = await ctx.db.first<{ spec: { http?: { name?: string; url?: string }[] } }>(sql`
    select spec from canaries where name = ${NAME} and namespace = ${NAME} and source = ${SOURCE} and deleted_at is null`);
  const before = row?.spec.http?.find((check) => check.name === "answers")?.url;
  const wanted = `${input.address}/api/_health`;
  if (!row || before === undefined || before === wanted) return;
  const oldAddress = before.replace(/\/api\/_health$/, "");
  const text = JSON.stringify(row.spec).replaceAll(`${oldAddress}/`, `${input.address}/`);
  const document = readOne(text, true);
  await ctx.tx((tx) => saveCanary(ctx, tx, { document, source: SOURCE }));
}

function selfDocument({ address, config }: SelfChecksInput): CanaryDocument {
  return readOne(
    JSON.stringify({
      interval: 30,
      icon: "activity",
      labels: { app: "mainstay" },
      http: [
        {
          name: "answers",
          description: "This server answers.",
          url: `${address}/api/_health`,
          responseContent: '"ok"',
        },
        {
          name: "database",
          description: "This server reaches its database.",
          url: `${address}/api/_ready`,
          responseCodes: [200],
        },
      ],
      ...nameResolution(address, config),
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
  return { folder: [{ name: "free space", description, path, availableSize: LEAST_FREE_SPACE }] };
}

/** Asked the way programs of this machine ask, not one name server: the hosts file counts. */
function nameResolution(
  address: string,
  config: SelfChecksInput["config"],
): Record<string, unknown> {
  const name = "name resolution";
  if (process.platform === "linux" && codeOff(config) === undefined) {
    const description = "The name of this machine leads to an address.";
    return {
      exec: [{ name, description, script: 'getent hosts "$(uname -n)" || getent hosts localhost' }],
    };
  }
  const { port, protocol } = new URL(address);
  const endpoint = `localhost:${port || (protocol === "https:" ? 443 : 80)}`;
  return { tcp: [{ name, description: "The name localhost leads to this machine.", endpoint }] };
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
