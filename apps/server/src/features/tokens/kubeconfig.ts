import { randomInt } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { stringify } from "yaml";
import { baseUrl, isSameSite } from "#features/identity/index.ts";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import { forbidden } from "#platform/errors.ts";
import { insertToken, requireSession, tellOwner } from "./create-token.ts";

export interface KubeconfigRequest {
  ctx: Ctx;
  config: Config;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A file for the command-line tools of Kubernetes, with a new token in it that does not expire. */
export async function kubeconfig(parts: KubeconfigRequest): Promise<FastifyReply> {
  const { ctx, config, request, reply } = parts;
  const actor = requireSession(ctx);
  // A read that leaves something behind: a link on another site must not set it off.
  if (!isSameSite(request, config))
    throw forbidden(
      "The request came from another site and was refused. Open the console and download the file there.",
    );
  const base = baseUrl(request, config);
  const host = new URL(base).hostname.replaceAll(/[^\w.-]/g, "");
  const name = `kubeconfig-${ctx.clock.now().getTime()}${randomInt(100, 1000)}`;
  const token = await ctx.tx(async (tx) => {
    await tellOwner(ctx, tx, { personId: actor.id, name });
    return await insertToken(tx, {
      name,
      kind: "kubeconfig",
      personId: actor.id,
      expiresAt: null,
      by: actor.id,
    });
  });
  return reply
    .type("text/yaml; charset=utf-8")
    .header("content-disposition", `attachment; filename="${host}-kubeconfig.yaml"`)
    .send(kubeconfigText({ server: `${base}/api/kubeproxy`, host, token: token.access_token }));
}

function kubeconfigText(parts: { server: string; host: string; token: string }): string {
  const { server, host, token } = parts;
  const cluster = `mainstay-${host}`;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { server } }],
    users: [{ name: "token", user: { username: "token", password: token } }],
    contexts: [{ name: "default", context: { cluster, user: "token" } }],
    "current-context": "default",
  });
}
