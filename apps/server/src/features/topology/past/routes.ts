import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import type { Share } from "#platform/http/shares.ts";
import { askInTurn } from "../shares.ts";
import { countTurns, readStates } from "./read-states.ts";

const moment = z.iso
  .datetime({ offset: true, error: "It is a time such as 2026-11-23T12:00:00Z." })
  .transform((text) => new Date(text));

const At = z.object({ at: moment });
const Range = z.object({
  from: moment,
  to: moment,
  steps: z.coerce.number().int().min(1).max(2_000).default(300),
});

export function routes(http: Http, share: Share): void {
  const access = { resource: "topologies", action: "read" } as const;
  http.get("/api/topology/states", { access, query: At }, ({ ctx, query, request }) =>
    askInTurn(share, { ctx, request }, (tx) => readStates(tx, query.at, ctx.clock.now())),
  );
  http.get("/api/topology/states/turns", { access, query: Range }, ({ ctx, query, request }) =>
    askInTurn(share, { ctx, request }, (tx) => countTurns(tx, { ...query, now: ctx.clock.now() })),
  );
}
