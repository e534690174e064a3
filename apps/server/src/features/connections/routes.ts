import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import { notFound } from "#platform/errors.ts";
import { listUses } from "./list-uses.ts";
import { testConnection } from "./test-connection.ts";

const Params = z.object({ id: z.string().max(100) });
const access = { resource: "connections", action: "write" } as const;

export function routes(http: Http): void {
  http.post("/api/connection/test/:id", { access, params: Params }, ({ ctx, params: { id } }) => {
    if (!z.guid().safeParse(id).success) throw notFound("connection was not found");
    return testConnection(ctx, id);
  });
  http.get(
    "/api/connection/:id/uses",
    { access: { resource: "connections", action: "read" }, params: Params },
    ({ ctx, params: { id } }) => {
      if (!z.guid().safeParse(id).success) throw notFound("connection was not found");
      return listUses(ctx, id);
    },
  );
}
