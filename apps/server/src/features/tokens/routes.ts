import { z } from "zod";
import type { Feature } from "#platform/feature.ts";
import { unsupported } from "#platform/errors.ts";
import { createToken, NewToken } from "./create-token.ts";
import { KubeconfigInput, makeKubeconfig, openKubeconfig } from "./kubeconfig.ts";
import { listTokens } from "./list-tokens.ts";
import { revokeToken } from "./revoke-token.ts";

const TokenId = z.object({ id: z.guid("There is no such token.") });
const ListQuery = z.object({ all: z.enum(["true", "false"]).optional() });

export const routes: NonNullable<Feature["routes"]> = (http, { config }) => {
  http.get("/api/auth/tokens", { access: "session", query: ListQuery }, ({ ctx, query }) =>
    listTokens(ctx, query.all === "true"),
  );
  http.post(
    "/api/auth/tokens",
    { access: "session", body: NewToken, status: 201 },
    ({ ctx, body }) => createToken(ctx, body),
  );
  http.delete("/api/auth/tokens/:id", { access: "session", params: TokenId }, ({ ctx, params }) =>
    revokeToken(ctx, params.id),
  );
  http.get("/api/kubeconfig", { access: "session" }, ({ ctx, request, reply }) =>
    openKubeconfig({ ctx, config, request, reply }),
  );
  http.post(
    "/api/kubeconfig",
    { access: "session", body: KubeconfigInput },
    ({ ctx, body: input, request, reply }) =>
      makeKubeconfig({ ctx, config, request, reply, input }),
  );
  for (const method of ["get", "post", "put", "patch", "delete"] as const)
    http[method]("/api/kubeproxy/*", { access: "session" }, () => {
      throw unsupported("This server has no Kubernetes cluster that it hands requests on to.");
    });
};
