import { randomInt } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { stringify } from "yaml";
import { z } from "zod";
import { assertAskedHere, baseUrl } from "#features/identity/index.ts";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import { insertToken, readExpiry, requireSession, tellOwner } from "./create-token.ts";

export interface KubeconfigRequest {
  ctx: Ctx;
  config: Config;
  request: FastifyRequest;
  reply: FastifyReply;
  input?: z.output<typeof KubeconfigInput>;
}

/** Absent: in `DEFAULT_TOKEN_DAYS`; null: never. */
export const KubeconfigInput = z
  .object({ expires_at: z.iso.datetime({ offset: true }).nullish() })
  .optional();

const YAML = "text/yaml; charset=utf-8";

/** The same for who knows no other way than to open an address, which must be a page of ours that does. */
export async function openKubeconfig(parts: KubeconfigRequest): Promise<FastifyReply> {
  // Asked about, not for.
  if (parts.request.method === "HEAD") return parts.reply.type(YAML).send();
  assertAskedHere(parts.request, parts.config);
  return await makeKubeconfig(parts);
}

/** A file for the command-line tools of Kubernetes, with a new token in it. */
export async function makeKubeconfig(parts: KubeconfigRequest): Promise<FastifyReply> {
  const { ctx, config, request, reply, input } = parts;
  const actor = requireSession(ctx);
  const expiresAt = readExpiry(input?.expires_at, ctx.clock.now());
  const base = baseUrl(request, config);
  const host = new URL(base).hostname.replaceAll(/[^\w.-]/g, "");
  const name = `kubeconfig-${ctx.clock.now().getTime()}${randomInt(100, 1000)}`;
  const token = await ctx.tx(async (tx) => {
    await tellOwner(ctx, tx, { personId: actor.id, name });
    return await insertToken(tx, {
      name,
      kind: "kubeconfig",
      personId: actor.id,
      expiresAt,
      by: actor.id,
    });
  });
  return reply
    .type(YAML)
    .header("content-disposition", `attachment; filename="${host}-kubeconfig.yaml"`)
    .send(
      kubeconfigText({
        server: `${base}/api/kubeproxy`,
        host,
        token: token.access_token,
        expiresAt,
      }),
    );
}

function kubeconfigText(parts: {
  server: string;
  host: string;
  token: string;
  expiresAt: Date | null;
}): string {
  const { server, host, token, expiresAt } = parts;
  const cluster = `mainstay-${host}`;
  const until = expiresAt ? `works until ${expiresAt.toISOString()}` : "does not expire";
  const text = stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { server } }],
    users: [{ name: "token", user: { username: "token", password: token } }],
    contexts: [{ name: "default", context: { cluster, user: "token" } }],
    "current-context": "default",
  });
  return `# The access token in this file ${until}. It is revoked under Settings, Access Tokens.\n${text}`;
}
