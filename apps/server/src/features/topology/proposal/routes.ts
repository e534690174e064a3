import type { Http } from "#platform/http/route.ts";
import type { Share } from "#platform/http/shares.ts";
import { askInTurn } from "../shares.ts";
import { propose, Wish } from "./propose.ts";
import { readOffers } from "./read-offers.ts";

export function routes(http: Http, share: Share): void {
  const access = { resource: "topologies", action: "read" } as const;
  http.get("/api/topology/propose", { access }, ({ ctx, request }) =>
    askInTurn(share, { ctx, request }, (tx) => readOffers(ctx, tx)),
  );
  http.post("/api/topology/propose", { access, body: Wish }, ({ ctx, body, request }) =>
    askInTurn(share, { ctx, request }, (tx) => propose(ctx, tx, body)),
  );
}
